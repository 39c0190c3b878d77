/** Programs that change files. */
import type { RuleTable } from './rule.ts';

const ARCHIVE = { tier: 1, why: 'writes files' } as const;

/** Programs whose operands are files that they change. */
export const FILES: RuleTable = {
  touch: { tier: 0, operands: 'write', takes: '-d --date -t -r --reference' },
  'mkdir mkfifo': { tier: 0, operands: 'write', takes: '-m --mode -Z --context' },
  mktemp: { tier: 1, why: 'makes a temporary file', operands: 'write', takes: '--suffix', writes: '-p --tmpdir' },
  mknod: { tier: 2, why: 'makes a device file', operands: 'write' },
  cp: { tier: 0, operands: 'copy', takes: '-S --suffix', writes: '-t --target-directory' },
  install: { tier: 0, operands: 'copy', takes: '-m -o -g --mode --owner --group -S', writes: '-t --target-directory' },
  mv: { tier: 0, operands: 'move', takes: '-S --suffix', writes: '-t --target-directory' },
  'rename prename perl-rename': { tier: 1, why: 'renames files', operands: 'write' },
  ln: { tier: 0, operands: 'link', writes: '-t --target-directory', takes: '-S --suffix' },
  link: { tier: 0, operands: 'link' },
  'rm unlink rmdir trash trash-put': { tier: 0, operands: 'text', special: 'rm' },
  shred: { tier: 3, why: 'overwrites files so that they cannot be restored', operands: 'write', takes: '-n -s' },
  srm: { tier: 3, why: 'deletes files so that they cannot be restored' },
  truncate: { tier: 0, operands: 'write', takes: '-s --size -r --reference' },
  fallocate: { tier: 0, operands: 'write', takes: '-l -o' },
  tee: { tier: 0, operands: 'write' },
  sponge: { tier: 0, operands: 'write' },
  dd: { tier: 0, operands: 'text', special: 'dd' },
  'chmod chown chgrp chattr setfacl xattr setfattr': { tier: 0, operands: 'text', special: 'chmod' },
  'patch ed': {
    tier: 1,
    why: 'changes files',
    writes: '-o --output -r',
    takes: '-p -i -d --strip --input --directory',
  },
  tar: { tier: 0, special: 'tar' },
  'bsdtar gtar': { tier: 0, special: 'tar' },
  'zip 7z 7za 7zr rar gzip bzip2 xz zstd lz4 compress pigz': {
    ...ARCHIVE,
    operands: 'write',
    runs: '-TT --unzip-command',
    looks: '-l --list',
  },
  'gunzip bunzip2 unxz unzstd uncompress unpigz': { ...ARCHIVE, operands: 'write', trait: 'decoded' },
  unzip: { tier: 0, takes: '-x', writes: '-d', special: 'tar' },
  unrar: { ...ARCHIVE },
  cpio: { tier: 0, special: 'tar' },
  ar: { ...ARCHIVE },
  'dos2unix unix2dos': { ...ARCHIVE, operands: 'write' },
  'pdftotext pdftoppm convert magick ffmpeg pandoc inkscape rsvg-convert dot gs cwebp optipng jpegoptim svgo sox': {
    tier: 1,
    why: 'writes files',
    operands: 'write',
  },
  'cd pushd': { tier: 0, operands: 'text' },
  popd: { tier: 0, operands: 'text' },
  'mkfs mke2fs mkswap fdisk sfdisk cfdisk gdisk sgdisk parted wipefs hdparm badblocks blkdiscard cryptsetup lvremove vgremove pvremove mdadm zpool zfs btrfs diskutil format':
    { tier: 3, why: 'changes disks or file systems' },
  'mount umount losetup swapon swapoff fsck e2fsck tune2fs resize2fs': { tier: 2, why: 'changes what is mounted' },
};
