/** Programs that look at files and text. */
import type { RuleTable } from './rule.ts';

/** Programs that only read, but for the flags that are named. */
export const READING: RuleTable = {
  'cat head tail nl wc cut fold fmt expand unexpand column paste join comm cmp diff sdiff colordiff strings file stat du df tree ls dir vdir eza exa lsd bat batcat zgrep zless zipinfo md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum basename dirname realpath readlink pathchk nm objdump readelf size otool lsattr getfattr getfacl cloc tokei scc grep egrep fgrep zegrep pdfinfo identify ffprobe mediainfo jless delta namei look tsort shasum md5 ptx':
    { tier: 0 },
  'more less most': { tier: 0 },
  'tac tr rev zcat bzcat xzcat od hexdump': { tier: 0, trait: 'decoded' },
  'echo printf true false : seq sleep expr factor pwd yes tput cal nproc arch uname whoami id groups logname users who w uptime free vmstat iostat lscpu lsblk lspci lsusb lsmod getconf locale tty printenv ps pstree pgrep pidof lsof top htop jobs wait sync numfmt shuf times ulimit umask hostid getent ss netstat findmnt mountpoint last dmesg sw_vers':
    { tier: 0, operands: 'text' },
  'test [ [[ type which whereis help info apropos whatis tldr command-not-found break continue return exit shift getopts read readarray mapfile local set shopt unset dirs logout disown fg bg compgen caller suspend readonly typeset let':
    { tier: 0, operands: 'text' },
  date: {
    tier: 0,
    operands: 'text',
    takes: '-d --date -f --file -r --reference',
    flags: { '-s --set': { tier: 3, why: 'sets the clock of the machine' } },
  },
  hostname: { tier: 0, operands: 'text', words: [{ match: /./, tier: 3, why: 'renames the machine' }] },
  man: { tier: 0, operands: 'text', runs: '-P --pager -H --html', takes: '-M -L -R -E' },
  rg: {
    tier: 0,
    runs: '--pre --hostname-bin',
    takes: '-e -f -g -t -T -A -B -C -m -r -j -M --glob --type --regexp --replace',
  },
  'ag ack': { tier: 0, runs: '--pager' },
  sort: {
    tier: 0,
    writes: '-o --output',
    runs: '--compress-program',
    takes: '-k -t -S -T --key --field-separator --buffer-size --parallel --batch-size',
  },
  uniq: { tier: 0, operands: 'second-written', takes: '-f -s -w' },
  split: { tier: 1, why: 'writes files', runs: '--filter', takes: '-b -l -n -a -C --bytes --lines' },
  csplit: { tier: 1, why: 'writes files' },
  'base64 base32 basenc': { tier: 0, trait: 'decoded', takes: '-w --wrap', writes: '-o' },
  xxd: { tier: 0, trait: 'decoded', operands: 'second-written', takes: '-c -g -l -s -n -o' },
  uudecode: { tier: 1, why: 'writes a file', trait: 'decoded' },
  iconv: { tier: 0, writes: '-o --output', takes: '-f -t' },
  jq: { tier: 0, takes: '--arg --argjson --slurpfile --rawfile --indent -L -f --from-file' },
  'yq dasel tomlq xq': {
    tier: 0,
    flags: { '-i --inplace --in-place': { tier: 1, why: 'changes files in place' } },
    writes: '-s --split-exp',
  },
  xmllint: { tier: 0, writes: '--output -o' },
  xmlstarlet: { tier: 0, flags: { '-L --inplace': { tier: 1, why: 'changes files in place' } } },
  'sed gsed': { tier: 0, special: 'sed', trait: 'decoded' },
  'awk gawk mawk nawk': { tier: 0, special: 'awk', trait: 'decoded' },
  find: { tier: 0, special: 'find', longFlags: true },
  'fd fdfind': { tier: 0, takes: '-e -t -d -E -g -j -S --extension --type --max-depth --exclude --base-directory' },
  'locate mlocate plocate mdfind': { tier: 0, operands: 'text' },
  bc: { tier: 0, operands: 'read' },
  ldd: { tier: 1, why: 'may run the program that it looks at' },
  'lsblk blkid': { tier: 0, operands: 'text' },
  'vim vi nvim view ex ed emacs nano pico micro joe': {
    tier: 1,
    why: 'opens an editor',
    operands: 'write',
    runs: '-c --cmd',
    loads: '-S -u --eval',
    words: [{ match: /^\+.*[!]/, tier: 2, why: 'runs a command from an editor' }],
  },
  'sqlite3 sqlite': { tier: 0, special: 'sql', takes: '-cmd -init -separator -newline -nullvalue', longFlags: true },
  duckdb: { tier: 0, special: 'sql', takes: '-c -s -cmd -init', longFlags: true },
  openssl: {
    tier: 0,
    otherwise: { tier: 1, why: 'works with keys' },
    subcommands: {
      'version help list ciphers dgst x509 verify asn1parse prime': { tier: 0, writes: '-out', longFlags: true },
      'enc base64': { tier: 1, why: 'encodes or decodes', trait: 'decoded', writes: '-out', longFlags: true },
      'rand genrsa genpkey req rsa pkey ec': {
        tier: 1,
        why: 'makes keys or random data',
        writes: '-out -keyout',
        longFlags: true,
      },
      's_client s_server': { tier: 2, why: 'talks to another machine', trait: 'network', longFlags: true },
    },
  },
  'gpg gpg2': {
    tier: 1,
    why: 'works with keys',
    trait: 'decoded',
    writes: '-o --output',
    flags: {
      '--delete-keys --delete-secret-keys --delete-secret-and-public-key': { tier: 3, why: 'deletes keys' },
      '--export-secret-keys': { tier: 3, why: 'shows secret keys' },
      '--send-keys --recv-keys --keyserver --refresh-keys': { tier: 2, why: 'talks to a key server' },
    },
  },
};
