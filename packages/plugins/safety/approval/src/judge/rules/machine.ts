/** Programs that change the machine, its users and what runs on it. */
import type { Rule, RuleTable } from './rule.ts';

const LOOKS: Rule = { tier: 0, operands: 'text' };
const SERVICES: Rule = { tier: 2, why: 'changes services of the machine', operands: 'text' };
const SCHEDULES: Rule = { tier: 2, why: 'makes something run later', operands: 'text' };
const ENDS: Rule = { tier: 3, why: 'stops the machine', operands: 'text' };
const SAFETY: Rule = { tier: 3, why: "changes Tenon's own safety", operands: 'text' };

/** The machine itself. */
export const MACHINE: RuleTable = {
  kill: { tier: 2, why: 'ends processes', operands: 'text', special: 'kill' },
  'pkill killall skill fuser xkill': {
    tier: 2,
    why: 'ends processes by name',
    operands: 'text',
    flags: { '-u --user -U': { tier: 3, why: 'ends all processes of a user' } },
  },
  'shutdown reboot halt poweroff telinit init': ENDS,
  'useradd adduser usermod userdel deluser groupadd groupdel groupmod passwd chpasswd chsh chfn visudo vipw gpasswd dscl':
    { tier: 3, why: 'changes users of the machine', operands: 'text' },
  'iptables ip6tables nft ufw firewall-cmd pfctl': {
    tier: 3,
    why: 'changes the firewall',
    operands: 'text',
    flags: { '-L --list': { tier: 2, why: 'looks at the firewall' } },
  },
  'ip ifconfig route nmcli networksetup iw iwconfig': {
    tier: 0,
    operands: 'text',
    words: [
      {
        match: /^(add|del|delete|set|flush|change|replace|up|down|exec|connect|disconnect)$/,
        tier: 2,
        why: 'changes the network of the machine',
      },
    ],
  },
  sysctl: {
    tier: 0,
    operands: 'text',
    flags: { '-w --write -p --load': { tier: 2, why: 'changes the kernel' } },
    words: [{ match: /=/, tier: 2, why: 'changes the kernel' }],
  },
  'modprobe insmod rmmod kexec setenforce update-grub grub-install efibootmgr update-initramfs bcdedit': {
    tier: 3,
    why: 'changes the kernel or how the machine starts',
    operands: 'text',
  },
  systemctl: {
    tier: 0,
    operands: 'text',
    otherwise: SERVICES,
    subcommands: {
      'status show cat list-units list-unit-files list-timers list-dependencies is-active is-enabled is-failed': LOOKS,
      'poweroff reboot halt suspend hibernate kexec emergency rescue isolate': ENDS,
    },
  },
  journalctl: {
    tier: 0,
    operands: 'text',
    flags: { '--vacuum-time --vacuum-size --rotate': { tier: 2, why: 'deletes logs' } },
  },
  'service launchctl rc-service supervisorctl pm2 loginctl': {
    ...SERVICES,
    otherwise: SERVICES,
    subcommands: { 'list status print': LOOKS },
  },
  crontab: { ...SCHEDULES, looks: '-l', flags: { '-r': { tier: 3, why: 'deletes all jobs that run by time' } } },
  'at batch atrm anacron': SCHEDULES,
  atq: LOOKS,
  'timedatectl hostnamectl localectl': {
    tier: 0,
    operands: 'text',
    words: [{ match: /^set-/, tier: 3, why: 'changes the machine' }],
  },
  'update-alternatives ldconfig dpkg-reconfigure defaults scutil csrutil spctl tmutil nvram pmset security': {
    tier: 2,
    why: 'changes the machine',
    operands: 'text',
  },
  'chroot unshare nsenter su runuser newgrp sg pkexec gosu setpriv capsh setcap machinectl systemd-run': {
    tier: 2,
    why: 'runs something with other rights',
    operands: 'text',
  },
  'xclip xsel pbcopy pbpaste wl-copy wl-paste xdotool': {
    tier: 2,
    why: 'uses the clipboard or the screen',
    operands: 'text',
  },
  'screencapture scrot import gnome-screenshot': { tier: 2, why: 'takes pictures of the screen', operands: 'text' },
  'gdb lldb ptrace': { tier: 2, why: 'debugs programs', operands: 'text', runs: '-ex --eval-command' },
  'tmux screen': {
    tier: 2,
    why: 'runs programs out of sight',
    operands: 'text',
    subcommands: { 'ls list-sessions list-windows list-panes capture-pane': LOOKS },
    otherwise: { tier: 2, why: 'runs programs out of sight', operands: 'text' },
  },
  'enable hash': {
    tier: 0,
    operands: 'text',
    flags: { '-f -n -p -d': { tier: 2, why: 'changes what a command name means' } },
  },
  'bind complete': {
    tier: 0,
    operands: 'text',
    flags: { '-x -C -F': { tier: 2, why: 'runs something when a key is pressed' } },
  },
  'history fc': {
    tier: 0,
    operands: 'text',
    flags: { '-c -d -w -s -e': { tier: 2, why: 'changes the history or runs from it' } },
  },
  tenon: {
    tier: 2,
    why: 'starts another agent',
    operands: 'text',
    otherwise: { tier: 2, why: 'starts another agent', operands: 'text' },
    subcommands: {
      'help doctor version completion stats grep find ast read': LOOKS,
      'models session tools': {
        tier: 0,
        operands: 'text',
        otherwise: { tier: 2, why: 'changes sessions', operands: 'text' },
        subcommands: { 'list show': LOOKS },
      },
      tool: {
        tier: 2,
        why: 'runs a tool past this conversation',
        operands: 'text',
        subcommands: { list: LOOKS },
        otherwise: { tier: 2, why: 'runs a tool past this conversation', operands: 'text' },
      },
      approval: {
        tier: 3,
        why: "answers Tenon's own questions",
        operands: 'text',
        otherwise: SAFETY,
        subcommands: { 'list show explain': LOOKS },
      },
      policy: { tier: 0, operands: 'text' },
      trust: { ...SAFETY, otherwise: SAFETY, subcommands: { 'list status': LOOKS } },
      plugin: {
        tier: 2,
        why: 'changes what Tenon runs',
        operands: 'text',
        otherwise: SAFETY,
        subcommands: { 'list inspect': LOOKS, 'new test doctor': { tier: 2, why: 'runs a pack', operands: 'text' } },
      },
      config: { ...SAFETY, otherwise: SAFETY, subcommands: { 'list get path schema': LOOKS } },
      auth: SAFETY,
    },
  },
  'claude codex gemini opencode aider goose amp cursor-agent copilot qwen': {
    tier: 2,
    why: 'starts another agent',
    operands: 'text',
  },
};
