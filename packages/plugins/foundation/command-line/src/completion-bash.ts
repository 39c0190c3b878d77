/** The part of the bash script that does not depend on the commands. It runs on bash 3.2 as well (macOS). */
export function bashDriver(table: string): string {
  return `# Completion of tenon for bash. Made by \`tenon completion bash\`.
${table}

# Offers the files or folders ($2) that start with $1; readline quotes them itself. @FILE is no name of a file to it.
_tenon_offer_paths() {
  local name mark=''
  if [[ $1 == @* ]]; then mark=@; else compopt -o filenames 2>/dev/null; fi
  while IFS= read -r name; do
    [[ -z $name ]] && continue
    if [[ -z $mark ]]; then COMPREPLY+=("$name"); continue; fi
    if [[ -d $name ]]; then name+=/; compopt -o nospace 2>/dev/null; fi
    COMPREPLY+=("$mark$(printf '%q' "$name")")
  done < <(compgen "$2" -- "\${1#$mark}")
}

# Offers the lines of $2 (a name, a tab, a description) that start with $1.
_tenon_offer() {
  local name rest
  while IFS=$'\\t' read -r name rest; do
    [[ -n $name && $name == "$1"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
  done <<<"$2"
}

# Offers what a place of the kind $2 can hold; $3 are the words of a help topic so far.
_tenon_offer_kind() {
  case "$2" in
    -) ;;
    '='*) local choices=\${2#=}; _tenon_offer "$1" "\${choices//|/$'\\n'}" ;;
    files) _tenon_offer_paths "$1" -f ;;
    folders) _tenon_offer_paths "$1" -d ;;
    commands)
      _tenon_table "$3" && _tenon_offer "$1" "$subs"
      [[ -z $3 ]] && _tenon_offer "$1" "$_tenon_topics"
      ;;
    *) _tenon_offer "$1" "$("\${COMP_WORDS[0]}" __complete "$2" 2>/dev/null)" ;;
  esac
}

# Sets kind to what the value of flag $1 is; fails for flags without one.
_tenon_value_kind() {
  local flag rest
  while read -r flag rest; do
    [[ -n $flag && $flag == "$1" ]] && { kind=$rest; return 0; }
  done <<<"$valued"
  return 1
}

_tenon() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path='' position=0 plain='' topic='' expects='' kind='' index word
  local subs flags kinds valued
  COMPREPLY=()
  _tenon_table ''
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ $word == '=' && -n $expects ]]; then continue; fi
    if [[ -n $expects ]]; then expects=''; continue; fi
    if [[ -z $plain && $word == -- ]]; then plain=1; continue; fi
    if [[ -z $plain && $word == -?* ]]; then _tenon_value_kind "$word" && expects=$kind; continue; fi
    if [[ $position == 0 && $'\\n'"$subs" == *$'\\n'"$word"$'\\t'* ]]; then
      path="\${path:+$path }$word"
      _tenon_table "$path"
    else
      position=$((position + 1))
      topic="\${topic:+$topic }$word"
    fi
  done
  # Readline takes \`@file\` for one word, bash for two.
  if [[ $COMP_CWORD -gt 1 && \${COMP_WORDS[COMP_CWORD - 1]} == @ && \${COMP_LINE:0:COMP_POINT} == *"@$cur" ]]; then cur="@$cur"; fi
  # \`--flag=value\` comes as three words, the middle one being the equals sign.
  if [[ $cur == '=' ]]; then cur=''; fi
  if [[ -n $expects ]]; then _tenon_offer_kind "$cur" "$expects" ''; return; fi
  if [[ -z $plain && $cur == -* ]]; then _tenon_offer "$cur" "$flags"; return; fi
  if [[ -z $path && $cur == @* && $kinds == *files* ]]; then _tenon_offer_kind "$cur" files ''; return; fi
  if [[ $position == 0 ]]; then _tenon_offer "$cur" "$subs"; fi
  local number=0 wanted=''
  while IFS= read -r kind; do
    if [[ $number == "$position" || ($number -le $position && $kind == '*'*) ]]; then wanted=\${kind#\\*}; break; fi
    number=$((number + 1))
  done <<<"$kinds"
  if [[ -n $wanted ]]; then _tenon_offer_kind "$cur" "$wanted" "$topic"; fi
}

complete -F _tenon tenon
`;
}
