# The guard of one shell or terminal session: parent of everything the session starts.
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
      pid=${line%% *}
      line=${line##*) }
      ppid=${line#* }
      parent[pid]=${ppid%% *}
    done
    while IFS= read -r file; do
      file=${file#/proc/}
      inside[${file%%/*}]=1
    done < <(grep -l -a -F -- "TENON_SHELL=$marker" /proc/[0-9]*/environ 2>/dev/null)
  else
    while read -r pid ppid; do parent[pid]=$ppid; done < <(ps -axo pid=,ppid=)
  fi
  inside[$$]=1
  while [ "$growing" = 1 ]; do
    growing=0
    for pid in "${!parent[@]}"; do
      if [ -z "${inside[pid]}" ] && [ -n "${inside[${parent[pid]}]}" ]; then
        inside[pid]=1
        growing=1
      fi
    done
  done
  for pid in "${!inside[@]}"; do
    [ "$pid" = "$$" ] || [ "$pid" = "$self" ] || [ -z "${parent[pid]}" ] || [ "${parent[pid]}" = "$self" ] || victims+=("$pid")
  done
}

# Blocks until the host closes the lifeline or dies, then leaves nothing behind.
watch() {
  trap '' INT QUIT TERM HUP TSTP
  while IFS= read -r -u 240 _; do :; done
  local round
  for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    find_victims
    [ "${#victims[@]}" = 0 ] && break
    kill -KILL "${victims[@]}" 2>/dev/null
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

# One order, one shell. Its own process group keeps `kill 0` in a command away from the guard. It runs in the background:
# bash takes the end of a foreground job by SIGINT for its own. Job control is off while the guard waits, or a shell that
# is stopped would count as ended.
cd "$folder"
while IFS= read -r -u 241 _; do
  set -m
  "$@" <&245 >&246 2>&247 240<&- 241<&- 242>&- &
  shell=$!
  set +m
  # A signal that the guard catches ends `wait` early; once the shell is gone it tells the shell's status.
  while kill -0 "$shell"; do wait "$shell"; done
  wait "$shell"
  printf '\0X\0%s\0' "$?" >&242
done
await_end
