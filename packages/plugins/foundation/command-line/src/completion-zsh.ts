/** The part of the zsh script that does not depend on the commands. */
export function zshDriver(table: string): string {
  return `#compdef tenon
# Completion of tenon for zsh. Made by \`tenon completion zsh\`.
${table}

# Offers the lines of $1, each a name, a tab and a description.
_tenon_offer() {
  local line name
  local -a names shown
  integer width=0
  for line in "\${(@f)1}"; do
    [[ -z $line ]] && continue
    names+=("\${line%%$'\\t'*}")
    (( \${#names[-1]} > width )) && width=\${#names[-1]}
  done
  for line in "\${(@f)1}"; do
    name="\${line%%$'\\t'*}"
    if [[ $line == *$'\\t'* ]]; then
      shown+=("\${(r:width:)name}  -- \${line#*$'\\t'}")
    elif [[ -n $line ]]; then
      shown+=("$line")
    fi
  done
  (( \${#names} )) && compadd -l -d shown -a names
}

# Offers what a place of the kind $1 can hold; $2 are the words of a help topic so far.
_tenon_offer_kind() {
  case "$1" in
    -) ;;
    '='*) local choices=\${1#'='}; _tenon_offer \${choices//\\|/$'\\n'} ;;
    files) compset -P @; _files ;;
    folders) _files -/ ;;
    commands)
      _tenon_table "$2" && _tenon_offer "$subs"
      [[ -z $2 ]] && _tenon_offer "$_tenon_topics"
      ;;
    *) _tenon_offer "$("$words[1]" __complete "$1" 2>/dev/null)" ;;
  esac
}

# Sets kind to what the value of flag $1 is; fails for flags without one.
_tenon_value_kind() {
  local line
  for line in "\${(@f)valued}"; do
    [[ "\${line%% *}" == "$1" ]] && { kind="\${line#* }"; return 0 }
  done
  return 1
}

# The options are those that zsh gives to every completion function; others break its own _files.
_tenon() {
  local at='' topic='' expects='' kind='' plain='' word line wanted=''
  local subs flags kinds valued
  integer position=0 index number=0
  _tenon_table ''
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    if [[ -n $expects ]]; then expects=''; continue; fi
    if [[ -z $plain && $word == -- ]]; then plain=1; continue; fi
    if [[ -z $plain && $word == -?* ]]; then _tenon_value_kind "$word" && expects=$kind; continue; fi
    if (( position == 0 )) && [[ $'\\n'"$subs" == *$'\\n'"$word"$'\\t'* ]]; then
      at="\${at:+$at }$word"
      _tenon_table "$at"
    else
      position+=1
      topic="\${topic:+$topic }$word"
    fi
  done
  if [[ -n $expects ]]; then _tenon_offer_kind "$expects" ''; return; fi
  if [[ -z $plain && $PREFIX == --*=* ]]; then
    if _tenon_value_kind "\${PREFIX%%=*}"; then compset -P '*='; _tenon_offer_kind "$kind" ''; fi
    return
  fi
  if [[ -z $plain && $PREFIX == -* ]]; then _tenon_offer "$flags"; return; fi
  if [[ -z $at && $PREFIX == @* && $kinds == *files* ]]; then _tenon_offer_kind files ''; return; fi
  (( position == 0 )) && _tenon_offer "$subs"
  for line in "\${(@f)kinds}"; do
    if (( number == position )) || [[ $number -le $position && $line == '*'* ]]; then wanted=\${line#\\*}; break; fi
    number+=1
  done
  [[ -n $wanted ]] && _tenon_offer_kind "$wanted" "$topic"
}

# Sourced: register it. Autoloaded from a folder in fpath: run it.
if [[ \${funcstack[1]} == _tenon ]]; then _tenon "$@"; else compdef _tenon tenon; fi
`;
}
