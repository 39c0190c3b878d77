/** Programs that talk to other machines, containers, clusters and clouds. */
import type { Rule, RuleTable } from './rule.ts';

const LOOKS: Rule = { tier: 0, operands: 'text' };
const READS_REMOTE: Rule = { tier: 1, why: 'reads from a server', operands: 'text', trait: 'network' };
const CHANGES_REMOTE: Rule = { tier: 2, why: 'changes something on a server', operands: 'text', trait: 'network' };
const DESTROYS: Rule = { tier: 3, why: 'deletes something that others may use', operands: 'text' };
const DELETES = {
  match:
    /^(delete|rm|rb|remove|destroy|terminate|drop|purge|deregister|detach|disable|revoke|(delete|terminate|remove|destroy|purge|deregister|batch-delete)-.+)$/,
  tier: 3,
  why: 'deletes something in the cloud',
} as const;

const CURL_VALUES =
  '-X --request -H --header -d --data --data-raw --data-binary --data-urlencode -F --form -T --upload-file -u --user -A --user-agent -e -b --cookie -K --config -x --proxy -w --write-out --connect-timeout -m --max-time --retry --resolve --cacert --cert --key';
const WEB: Rule = { tier: 2, why: 'talks to another machine', operands: 'text', trait: 'network', special: 'web' };

/** What goes over the network or into another system. */
export const REACHING_OUT: RuleTable = {
  'curl curlie': {
    ...WEB,
    writes: '-o --output --output-dir -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr',
    takes: CURL_VALUES,
  },
  'wget http https xh httpie aria2c': {
    ...WEB,
    writes: '-O --output-document -P --directory-prefix -o --output-file --output --save-cookies -d --dir',
    takes:
      '-U --user-agent --header --post-data --post-file --body-data --body-file -e --execute --user --password -t --tries -T --timeout -i --input-file',
  },
  'nc ncat netcat socat telnet ftp tftp lftp sftp nmap masscan': {
    tier: 2,
    why: 'talks to another machine',
    operands: 'text',
    trait: 'network',
    flags: { '-e --exec -c --sh-exec': { tier: 3, why: 'gives a program to another machine' } },
    words: [{ match: /^(EXEC|SYSTEM):/i, tier: 3, why: 'gives a program to another machine' }],
  },
  'ping ping6 dig nslookup host whois traceroute tracepath mtr drill finger': {
    tier: 2,
    why: 'talks to another machine',
    operands: 'text',
    trait: 'network',
  },
  'ssh mosh autossh': {
    tier: 2,
    why: 'works on another machine',
    operands: 'text',
    trait: 'network',
    special: 'remote-shell',
    takes: '-i -l -p -o -F -J -L -R -D -W -b -c -E -e -I -m -O -Q -S -w -B',
  },
  scp: {
    tier: 2,
    why: 'copies to or from another machine',
    trait: 'network',
    operands: 'copy',
    takes: '-i -P -o -F -c -l -J',
    runs: '-S',
  },
  rsync: {
    tier: 0,
    special: 'rsync',
    operands: 'copy',
    runs: '-e --rsh --rsync-path',
    takes: '--exclude --include --filter -f --exclude-from --files-from --chmod --bwlimit',
  },
  'ssh-keygen': { tier: 2, why: 'makes or changes keys', operands: 'text', writes: '-f' },
  'ssh-copy-id ssh-add ssh-agent': { tier: 2, why: 'gives access with a key', operands: 'text' },
  'ssh-keyscan': { tier: 2, why: 'talks to another machine', operands: 'text', trait: 'network' },
  'docker podman nerdctl': {
    tier: 0,
    operands: 'text',
    takes: '-H --host --context -c --config -l --log-level',
    subcommands: {
      'ps images logs inspect version info top stats port diff history events search help': LOOKS,
      'build buildx pull push login logout tag import load save commit create start restart rename update cp export wait attach pause unpause':
        { tier: 2, why: 'changes containers or images', operands: 'text' },
      run: { tier: 2, why: 'runs a container', operands: 'text', special: 'container-run' },
      exec: { tier: 2, why: 'runs a command in a container', operands: 'text', special: 'container-run' },
      'stop kill rm rmi': {
        tier: 2,
        why: 'ends or deletes containers',
        operands: 'text',
        flags: { '-f --force -v --volumes': { tier: 3, why: 'deletes containers with their data' } },
      },
      'system volume network image container builder': {
        tier: 0,
        operands: 'text',
        otherwise: { tier: 2, why: 'changes containers or images', operands: 'text' },
        subcommands: { 'ls list inspect df info logs': LOOKS, 'prune rm remove': DESTROYS },
      },
      'compose stack swarm service node secret config context': {
        tier: 2,
        why: 'changes containers',
        operands: 'text',
        takes: '-f --file -p --project-name --profile --env-file',
        otherwise: { tier: 2, why: 'changes containers', operands: 'text' },
        subcommands: {
          'ps ls logs config images top version port list inspect': LOOKS,
          down: {
            tier: 2,
            why: 'ends containers',
            operands: 'text',
            flags: { '-v --volumes --rmi': { tier: 3, why: 'deletes the data of containers' } },
          },
          'rm leave': DESTROYS,
          'run exec': { tier: 2, why: 'runs a command in a container', operands: 'text', special: 'container-run' },
        },
      },
    },
  },
  'docker-compose podman-compose': {
    tier: 2,
    why: 'changes containers',
    operands: 'text',
    takes: '-f --file -p --project-name',
    otherwise: { tier: 2, why: 'changes containers', operands: 'text' },
    subcommands: {
      'ps logs config images top version port': LOOKS,
      down: {
        tier: 2,
        why: 'ends containers',
        operands: 'text',
        flags: { '-v --volumes --rmi': { tier: 3, why: 'deletes the data of containers' } },
      },
      rm: DESTROYS,
    },
  },
  'kubectl oc k9s kubectx kubens': {
    tier: 0,
    operands: 'text',
    takes: '-n --namespace --context --kubeconfig -l --selector -o --output -f --filename --cluster --user',
    subcommands: {
      'get describe logs top explain api-resources api-versions cluster-info version config diff wait auth events':
        READS_REMOTE,
      'apply create patch edit scale rollout set label annotate expose autoscale run cp port-forward proxy attach taint cordon uncordon debug certificate kustomize':
        CHANGES_REMOTE,
      exec: { ...CHANGES_REMOTE, special: 'container-run' },
      'delete drain replace': DESTROYS,
    },
  },
  helm: {
    tier: 0,
    operands: 'text',
    otherwise: CHANGES_REMOTE,
    subcommands: {
      'list status get history show search version template lint env': READS_REMOTE,
      'uninstall delete rollback': DESTROYS,
    },
  },
  'terraform tofu terragrunt': {
    tier: 0,
    operands: 'text',
    longFlags: true,
    otherwise: { tier: 2, why: 'changes infrastructure', operands: 'text' },
    subcommands: {
      'fmt validate': { tier: 1, why: 'checks or formats files', operands: 'text' },
      'version show output providers graph console help': LOOKS,
      'plan init get refresh import workspace login': {
        tier: 2,
        why: 'talks to providers of infrastructure',
        operands: 'text',
        longFlags: true,
        flags: { '-destroy': { tier: 2, why: 'plans to destroy infrastructure' } },
      },
      apply: { tier: 3, why: 'changes infrastructure', operands: 'text' },
      'destroy taint force-unlock': { tier: 3, why: 'destroys infrastructure', operands: 'text' },
      state: {
        tier: 2,
        why: 'changes the record of infrastructure',
        operands: 'text',
        otherwise: { tier: 3, why: 'changes the record of infrastructure', operands: 'text' },
        subcommands: { 'list show pull': LOOKS },
      },
    },
  },
  pulumi: {
    tier: 0,
    operands: 'text',
    otherwise: CHANGES_REMOTE,
    subcommands: { 'preview version about whoami': READS_REMOTE, 'destroy cancel': DESTROYS, up: DESTROYS },
  },
  'aws gcloud az doctl hcloud flyctl fly heroku vercel netlify wrangler railway firebase supabase oci ibmcloud linode-cli vultr-cli gsutil bq s3cmd rclone mc eksctl cdk sls serverless sam ansible ansible-playbook salt chef puppet vagrant packer nomad consul vault doppler op':
    {
      tier: 2,
      why: 'works with servers or a cloud',
      operands: 'text',
      trait: 'network',
      words: [DELETES, { match: /^(deploy|publish)$/, tier: 2, why: 'deploys' }],
      flags: { '--delete --delete-all': { tier: 3, why: 'deletes something in the cloud' } },
    },
  'psql mysql mariadb mycli pgcli sqlcmd clickhouse-client cockroach': {
    tier: 1,
    why: 'asks a database',
    operands: 'text',
    special: 'sql',
    takes: '-h --host -U -u --user -p -P --port -d --dbname -D --database -S -v --set -F -o --output -L',
  },
  'redis-cli valkey-cli': {
    tier: 2,
    why: 'works with a database',
    operands: 'text',
    words: [{ match: /^(flushall|flushdb|shutdown)$/i, tier: 3, why: 'deletes all data of a database' }],
  },
  'mongo mongosh': {
    tier: 2,
    why: 'works with a database',
    operands: 'text',
    words: [{ match: /drop|deleteMany|remove\(/i, tier: 3, why: 'deletes data of a database' }],
    flags: { '--eval': { tier: 2, why: 'runs code in a database' } },
  },
  'dropdb dropuser mysqladmin': { tier: 3, why: 'changes or deletes databases', operands: 'text' },
  'createdb createuser pg_dump pg_dumpall mysqldump mongodump': {
    tier: 2,
    why: 'works with databases',
    operands: 'text',
    writes: '-f --file -o --out',
  },
  'pg_restore mongorestore': { tier: 3, why: 'overwrites databases', operands: 'text' },
  'mail mailx sendmail mutt msmtp swaks': { tier: 2, why: 'sends mail', operands: 'text' },
  'xdg-open open start wslview': { tier: 2, why: 'opens a program for a file or address', operands: 'text' },
  'ngrok cloudflared localtunnel tailscale wg openvpn': {
    tier: 2,
    why: 'opens this machine to others',
    operands: 'text',
  },
};
