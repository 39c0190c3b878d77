/** Which paths belong to the protected places that sandboxes and packs know, too. */
import { isBelow } from '@tenon/host';
import { type Places, placeTest, READABLE_PARTS } from '@tenon/sandbox/api';
import { PROCESS_SECRETS } from './place-lists.ts';

/** Says whether an absolute path is a place for credentials, or needs approval before it is changed. */
interface PathTests {
  isSecret(path: string, home: string): boolean;
  /** What people typed, and what shows the machine itself: nobody's business, but no key. */
  isPrivate(path: string, home: string): boolean;
  /** `shown` is the path from the workspace, or the whole path outside of it. */
  isProtected(path: string, shown: string, home: string): boolean;
  /** The rest of protected places of several names that begin here: `mcp.json` for `.github`. `shown` begins with a slash. */
  protectedBelow(shown: string): readonly string[];
}

/** What shells, databases and other programs remember of what people typed. */
const HISTORY = /^\.[\w-]*(history|hist|hsts|lesshst|viminfo)$/i;
/** Parts of other agents' folders that are written for agents. */
const FOR_AGENTS = /\/(skills?|commands|agents|plugins|rules|prompts)(\/|$)|\.md$/;

const known = new WeakMap<Places, PathTests>();

/** The tests for these places; made once. */
export function testsOf(places: Places): PathTests {
  const tests = known.get(places) ?? makeTests(places);
  known.set(places, tests);
  return tests;
}

function makeTests({ secrets, private: accounts, runsCode, guarded }: Places): PathTests {
  const all = [...secrets, ...accounts, ...runsCode, ...guarded];
  const secretsOfHome = placeTest(from('~/', secrets));
  const secretsOfMachine = placeTest(from('/', secrets));
  const secretsOfProject = placeTest(from('./', secrets), 'anywhere');
  const privateOfHome = placeTest(from('~/', accounts));
  const privateOfMachine = placeTest(from('/', accounts));
  const readable = placeTest(from('~/', READABLE_PARTS), 'exact');
  const ofHome = placeTest(from('~/', all));
  const ofProject = placeTest(from('./', all), 'anywhere');
  const nested = from('./', all)
    .map((place) => place.split('/'))
    .filter((names) => names.length > 1 && !names.some((name) => name.includes('*')));
  return {
    isSecret(path, home) {
      const below = belowHome(path, home);
      if (below !== undefined && secretsOfHome.test(below) && !readable.test(below)) return true;
      return secretsOfMachine.test(path.slice(1)) || secretsOfProject.test(path) || PROCESS_SECRETS.test(path);
    },
    isPrivate(path, home) {
      const below = belowHome(path, home);
      if (below === undefined) return privateOfMachine.test(path.slice(1));
      return HISTORY.test(below) || (privateOfHome.test(below) && !FOR_AGENTS.test(below));
    },
    isProtected(path, shown, home) {
      const below = belowHome(path, home);
      return ofProject.test(shown) || (below !== undefined && ofHome.test(below));
    },
    protectedBelow: (shown) =>
      nested.flatMap((names) =>
        names.slice(1).flatMap((_, index) => {
          const [outer, inner] = [names.slice(0, index + 1), names.slice(index + 1)];
          const end = `/${outer.join('/')}`.toLowerCase();
          return shown.replace(/\/+$/, '').toLowerCase().endsWith(end) ? [inner.join('/')] : [];
        }),
      ),
  };
}

function from(start: string, places: readonly string[]): string[] {
  return places.filter((place) => place.startsWith(start)).map((place) => place.slice(start.length));
}

/** The path from the home folder on, however its letters are written: see `placeTest`. */
function belowHome(path: string, home: string): string | undefined {
  return isBelow(path.toLowerCase(), home.toLowerCase()) ? path.slice(home.length + 1) : undefined;
}
