# Reports the end of a command: its token, its status, the folder, the options in force. By `eval`, with which the next
# command would be run: without it the shell says nothing, and is replaced. So is a shell that has closed what its streams
# are restored from: later output would be lost. In this order: bash puts the saved stdin on the first free number behind
# 245. The name is short because the shell reads its script byte by byte.
__tenon() {
  \builtin eval '\builtin printf "\0E\0%s\0%s\0%s\0%s\0" "$1" "$?" "$PWD" "$-${__tenon_v-}" >&246 >&247 <&245 >&244 || \builtin exit'
}
# Switches on again what a command may have switched off (`enable -n`) and the shell is driven with. Keeps the status.
__tenon_mend() {
  \enable builtin || \builtin enable enable
  \builtin enable alias cd command declare eval exec exit local printf read return set shopt source trap umask unset
  \builtin return "$1"
}
# Switches `set -v` off behind a command, or the shell would show the script that it is driven with.
__tenon_calm() {
  \builtin local s=$?
  __tenon_v=
  case $- in *v*) \builtin set +v && __tenon_v=v ;; esac
  return "$s"
}
# Sets $? back to what the previous command left; under `set -e` that would end the shell.
__tenon_status() {
  case $- in *e*) return 0 ;; esac
  return "$1"
}
# Hands the shell's state to the host, which gives it to the next shell.
__tenon_save() {
  [[ -n ${__tenon_saved-} ]] && return
  __tenon_saved=1
  # A command may have switched off or replaced what follows. In POSIX mode no function stands before `unset`; bash
  # stops expanding aliases when it leaves that mode.
  \builtin eval '\builtin set -- works' >/dev/null 2>&1
  if [[ ${1-} != works ]]; then
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
