import * as d from '@tenon/discovery/api';
import { readSshConfig } from './ssh-config.ts';

/** SSH hosts of files that no other family reads. */
export const family: d.Family = {
  id: 'ssh',
  priority: 5,
  looks: [
    d.looksFor(d.sshHosts, async (search) => {
      for (const place of search.places({ project: '.omp/ssh.json', user: '.omp/agent/ssh.json' }))
        await d.readSshFile(search, place);
      for (const place of search.places({ project: ['ssh.json', '.ssh.json'] })) await d.readSshFile(search, place);
      for (const place of search.places({ user: '.ssh/config' })) await readSshConfig(search, place);
    }),
  ],
};
