import { json } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'home/.omp/agent/ssh.json': json({ hosts: { 'omp-host': { host: 'omp.test', keyPath: '~/.ssh/omp' } } }),
  'home/.ssh/config':
    'Include conf.d/*\n\nHost alpha beta\n  HostName alpha.test\n  User me\n  Port 2200\n  IdentityFile ~/.ssh/id\n\nHost *\n  User nobody\n\nMatch host x\n  User evil\n',
  'home/.ssh/conf.d/work': 'Host work\n  HostName=work.test\n',
  'project/ssh.json': json({ hosts: { staging: { host: 'staging.test' } } }),
};
