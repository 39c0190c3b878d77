/**
 * How programs in a network namespace of their own reach the proxy outside: a small forwarder inside listens on the
 * namespace's loopback port and passes every connection to the proxy's Unix socket, which is bound into the sandbox.
 */

/** The port of the forwarder. It lies in a namespace of its own, so it is always free. */
export const BRIDGE_PORT = 3128;

/** Plain text for `node -e`, because no file of Tenon's need be visible inside. */
const FORWARDER = `const net = require('node:net');
const [socket, port] = process.argv.slice(1);
const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: socket, allowHalfOpen: true });
  const end = () => (near.destroy(), far.destroy());
  near.on('error', end); far.on('error', end);
  near.pipe(far); far.pipe(near);
});
server.on('error', () => process.exit(1));
server.listen(Number(port), '127.0.0.1', () => { process.stdout.write('ready\\n'); });
`;

/**
 * Starts the forwarder, waits until it listens, and becomes the program. The forwarder keeps nothing of the program's
 * streams. Where it cannot start, the program runs without a network: closed, not open.
 */
const STARTER = `ready=/tmp/.tenon-bridge-$$
mkfifo -m 600 "$ready" || exit 126
"$1" -e "$2" "$3" "$4" </dev/null >"$ready" 2>/dev/null &
read -r _ <"$ready"
rm -f "$ready"
shift 4
exec "$@"`;

/** Words that go between the sandbox and the program. */
export function bridgeArgv(node: string, socket: string): string[] {
  return ['/bin/sh', '-c', STARTER, 'tenon-bridge', node, FORWARDER, socket, String(BRIDGE_PORT)];
}

/** Whether a command line is that of the forwarder, which runs as long as its sandbox. Whoever pretends ends with it, too. */
export function isBridge(command: string): boolean {
  return command.includes(FORWARDER.slice(0, FORWARDER.indexOf('\n')));
}

/** What makes programs use the proxy. */
export function proxyVariables(port: number): Record<string, string | undefined> {
  const url = `http://127.0.0.1:${port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  return {
    ...Object.fromEntries(names.map((name) => [name, url])),
    NO_PROXY: undefined,
    no_proxy: undefined,
    // Node 24 and later heed the variables when told to.
    NODE_USE_ENV_PROXY: '1',
  };
}
