/** Copies of crates/shell/scripts/*.sh, so that the JavaScript twin is whole without files beside it; a test compares them. */

const raw = (text: string): string => text.replaceAll('@TICK@', '`').replaceAll('@DOLLAR@', '${');

/** The guard's script; the session's shell is its child. */
export const GUARD =
  raw(String.raw`# The guard of one shell or terminal session: parent of everything the session starts.
# $1 "session" or "pty"   $2 the session's folder   $3 a marker in the session's environment   $4… the program
# 240 lifeline (read)  241 launch orders (read)  242 news for the host (write)
# 243 control lines    244 the shell's reports   245 246 247 the shell's stdin, stdout, stderr
set +o posix
# Caught, not ignored: what the guard starts gets the defaults back. A dead host must not end it by SIGPIPE either.
# Not every system has all of these signals.
trap : INT QUIT TERM HUP TSTP PIPE ALRM USR1 USR2 VTALRM PROF XCPU XFSZ TTIN TTOU IO PWR 2>/dev/null
mode=$1 folder=$2 marker=$3
shift 3

# Every process below the guard except the watcher itself, and every process that carries the marker.
find_victims() {
  local line pid ppid file self=$BASHPID growing=1
  local -a parent=() inside=()
  victims=()
  if [ -e /proc/self/stat ]; then
    for file in /proc/[0-9]*/stat; do
      { IFS= read -r line <"$file"; } 2>/dev/null || continue
      pid=@DOLLAR@line%% *}
      line=@DOLLAR@line##*) }
      ppid=@DOLLAR@line#* }
      parent[pid]=@DOLLAR@ppid%% *}
    done
    while IFS= read -r file; do
      file=@DOLLAR@file#/proc/}
      inside[@DOLLAR@file%%/*}]=1
    done < <(grep -l -a -F -- "TENON_SHELL=$marker" /proc/[0-9]*/environ 2>/dev/null)
  else
    while read -r pid ppid; do parent[pid]=$ppid; done < <(ps -axo pid=,ppid=)
  fi
  inside[$$]=1
  while [ "$growing" = 1 ]; do
    growing=0
    for pid in "@DOLLAR@!parent[@]}"; do
      if [ -z "@DOLLAR@inside[pid]}" ] && [ -n "@DOLLAR@inside[@DOLLAR@parent[pid]}]}" ]; then
        inside[pid]=1
        growing=1
      fi
    done
  done
  for pid in "@DOLLAR@!inside[@]}"; do
    [ "$pid" = "$$" ] || [ "$pid" = "$self" ] || [ -z "@DOLLAR@parent[pid]}" ] || [ "@DOLLAR@parent[pid]}" = "$self" ] || victims+=("$pid")
  done
}

# Blocks until the host closes the lifeline or dies, then leaves nothing behind.
watch() {
  trap '' INT QUIT TERM HUP TSTP
  while IFS= read -r -u 240 _; do :; done
  local round
  for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    find_victims
    [ "@DOLLAR@#victims[@]}" = 0 ] && break
    kill -KILL "@DOLLAR@victims[@]}" 2>/dev/null
  done
  case $folder in */tenon-shell-*) rm -rf -- "$folder" ;; esac
  kill -KILL "$$"
}

exec 249>&2 2>/dev/null
watch 241<&- 242>&- 243<&- 244>&- 245<&- 246>&- 247>&- 249>&- &
watcher=$!
printf '\0G\0%s\0%s\0' "$$" "$watcher" >&242

# The guard outlives everything below it: were it gone first, orphans would go to init and be out of sight. The
# watcher kills it last.
await_end() {
  while kill -0 "$watcher" 2>/dev/null; do wait "$watcher"; done
}

if [ "$mode" = pty ]; then
  "$@" 2>&249 240<&- 242>&- 249>&-
  printf '\0X\0%s\0' "$?" >&242
  exec 0<&- 1>&- 249>&-
  await_end
  exit
fi
exec 249>&-

# One order, one shell. Its own process group keeps @TICK@kill 0@TICK@ in a command away from the guard. It runs in the background:
# bash takes the end of a foreground job by SIGINT for its own. Job control is off while the guard waits, or a shell that
# is stopped would count as ended.
cd "$folder"
while IFS= read -r -u 241 _; do
  set -m
  "$@" <&245 >&246 2>&247 240<&- 241<&- 242>&- &
  shell=$!
  set +m
  # A signal that the guard catches ends @TICK@wait@TICK@ early; once the shell is gone it tells the shell's status.
  while kill -0 "$shell"; do wait "$shell"; done
  wait "$shell"
  printf '\0X\0%s\0' "$?" >&242
done
await_end
`);

/** What the shell reports with; sent again when a command has replaced or removed it. */
export const FUNCTIONS =
  raw(String.raw`# Reports the end of a command: its token, its status, the folder, the options in force. By @TICK@eval@TICK@, with which the next
# command would be run: without it the shell says nothing, and is replaced. So is a shell that has closed what its streams
# are restored from: later output would be lost. In this order: bash puts the saved stdin on the first free number behind
# 245. The name is short because the shell reads its script byte by byte.
__tenon() {
  \builtin eval '\builtin printf "\0E\0%s\0%s\0%s\0%s\0" "$1" "$?" "$PWD" "$-@DOLLAR@__tenon_v-}" >&246 >&247 <&245 >&244 || \builtin exit'
}
# Switches on again what a command may have switched off (@TICK@enable -n@TICK@) and the shell is driven with. Keeps the status.
__tenon_mend() {
  \enable builtin || \builtin enable enable
  \builtin enable alias cd command declare eval exec exit local printf read return set shopt source trap umask unset
  \builtin return "$1"
}
# Switches @TICK@set -v@TICK@ off behind a command, or the shell would show the script that it is driven with.
__tenon_calm() {
  \builtin local s=$?
  __tenon_v=
  case $- in *v*) \builtin set +v && __tenon_v=v ;; esac
  return "$s"
}
# Sets $? back to what the previous command left; under @TICK@set -e@TICK@ that would end the shell.
__tenon_status() {
  case $- in *e*) return 0 ;; esac
  return "$1"
}
# Hands the shell's state to the host, which gives it to the next shell.
__tenon_save() {
  [[ -n @DOLLAR@__tenon_saved-} ]] && return
  __tenon_saved=1
  # A command may have switched off or replaced what follows. In POSIX mode no function stands before @TICK@unset@TICK@; bash
  # stops expanding aliases when it leaves that mode.
  \builtin eval '\builtin set -- works' >/dev/null 2>&1
  if [[ @DOLLAR@1-} != works ]]; then
    POSIXLY_CORRECT=1
    \unset -f builtin enable unset
    \__tenon_mend 0
    \unset POSIXLY_CORRECT
    \builtin shopt -s expand_aliases
  fi 2>/dev/null
  # A shell that took this over would end after its first command.
  \builtin set +t
  \__tenon_keep
}
# The same before a command that may leave the shell unable to.
__tenon_keep() {
  {
    \builtin printf '\0S\0%s\0' "$PWD"
    \builtin declare -p
    \builtin declare -f
    \builtin alias -p
    \builtin shopt -p
    \builtin set +o
    \builtin printf 'set +ev\n'
    \builtin umask -p
    \builtin printf '\0'
  } >&244 2>/dev/null
}
__tenon_cancel() {
  __tenon_save
  \builtin exit 130
}
`);

/** What a new shell of a session reads after the functions. */
export const PRELUDE = raw(String.raw`exec 243<&-
\builtin trap __tenon_save EXIT
\builtin trap __tenon_cancel @CANCEL_SIGNAL@
\builtin shopt -s expand_aliases
`);
