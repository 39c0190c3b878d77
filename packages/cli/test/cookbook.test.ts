/** Every recipe of docs/cookbook, as it stands on its page: its files are written, its commands run, its output compared. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type FakeModels, startFakeModels } from '@tenon/model-fakes';
import { gitRepository } from '@tenon/test-kit/git-repository';
import { inCheckout } from '@tenon/test-kit/plugins';
import { processesWith } from '@tenon/test-kit/processes';
import { ended, Home } from '@tenon/test-kit/program';
import { until } from '@tenon/test-kit/waiting';
import { describe, expect, it } from 'vitest';

const COOKBOOK = inCheckout('docs', 'cookbook');
const NAMES = readdirSync(COOKBOOK).filter((name) => name.endsWith('.md') && name !== 'README.md');
const SHOP = {
  'src/cart.js':
    '// TODO: discounts\nexport function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}\n',
  'test/cart.test.js':
    "import assert from 'node:assert';\nimport test from 'node:test';\nimport { total } from '../src/cart.js';\n\n" +
    "test('adds prices', () => assert.equal(total([{ price: 2 }, { price: 3 }]), 5));\n",
  'package.json': '{ "name": "shop", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
  'README.md': '# Shop\n',
};

/** What the model of a recipe answers: text, or a call. */
type Turn = string | { readonly tool: string; readonly arguments: unknown };

interface Recipe {
  readonly files: ReadonlyMap<string, string>;
  /** Scripts with the lines that each must print, in this order. */
  readonly steps: readonly { readonly script: string; readonly output: readonly string[] }[];
  readonly model: readonly Turn[];
}

/** A block `sh` is a script, `text` what the script before it prints; any other is the file that the words before it end with. */
function readRecipe(page: string): Recipe {
  const files = new Map<string, string>();
  const steps: { script: string; output: string[] }[] = [];
  for (const block of page.matchAll(/(?:`([^`\n]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm)) {
    const [, file, language, text = ''] = block;
    if (language === 'sh') steps.push({ script: text, output: [] });
    else if (language === 'text') steps.at(-1)?.output.push(...text.trimEnd().split('\n'));
    else if (file === undefined) throw new Error(`a block of ${language} says neither its file nor what to do with it`);
    else files.set(file, text);
  }
  const model = /<!-- model: (.*) -->/.exec(page)?.[1];
  return { files, steps, model: model === undefined ? [] : (JSON.parse(model) as Turn[]) };
}

/** The lines that are not printed in this order; `…` stands for anything within a line. */
function missingLines(printed: string, wanted: readonly string[]): string[] {
  const lines = printed.split('\n').map((line) => line.trimEnd());
  let at = 0;
  return wanted.filter((line) => {
    const parts = line.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
    const found = lines.findIndex(
      (candidate, index) => index >= at && new RegExp(`^${parts.join('.*')}$`).test(candidate),
    );
    if (found === -1) return true;
    at = found + 1;
    return false;
  });
}

const answerOf = (turn: Turn, index: number): Answer => ({
  content: [
    typeof turn === 'string'
      ? { type: 'text', text: turn }
      : { type: 'toolCall', id: `call-${index}`, name: turn.tool, arguments: turn.arguments },
  ],
});

function modelsFile(fake: FakeModels): string {
  const model = { id: 'm', name: 'M', contextWindow: 200_000, maxTokens: 8_000, input: ['text'], reasoning: false };
  const provider = {
    baseUrl: fake.baseUrl('openai-completions'),
    apiKey: 'none',
    api: 'openai-completions',
    models: [model],
  };
  return JSON.stringify({ providers: { fake: provider } });
}

describe('the cookbook', () => {
  it('lists every recipe, at least twenty', () => {
    const listed = [...readFileSync(join(COOKBOOK, 'README.md'), 'utf8').matchAll(/\]\(([a-z-]+\.md)\)/g)];
    expect(listed.map(([, name]) => name).toSorted()).toEqual(NAMES.toSorted());
    expect(NAMES.length).toBeGreaterThanOrEqual(20);
  });

  it('would notice a line that is not printed, or is printed too early', () => {
    expect(missingLines('a\nb 12 c\n', ['b … c', 'a', 'd'])).toEqual(['a', 'd']);
    expect(() => readRecipe('```json\n{}\n```\n')).toThrow('neither its file');
  });

  // Most of them wait for processes, so they do it side by side.
  it.concurrent.each(NAMES)('%s does what its page says', async (name) => {
    const { files, steps, model } = readRecipe(readFileSync(join(COOKBOOK, name), 'utf8'));
    expect(steps.filter(({ output }) => output.length > 0).length).toBeGreaterThan(0);
    const home = new Home();
    const fake = await startFakeModels();
    try {
      rmSync(join(home.work, '.git'), { recursive: true });
      gitRepository(home.work, SHOP)('commit', '--quiet', '--amend', '--message=feat: a cart');
      mkdirSync(join(home.work, 'node_modules/@tenon'), { recursive: true });
      symlinkSync(inCheckout('packages', 'sdk'), join(home.work, 'node_modules/@tenon/sdk'));
      home.put('work/.git/info/exclude', 'node_modules\n');
      home.put('.gitconfig', '[user]\n  name = Test\n  email = test@example.org\n');
      for (const [file, text] of files) home.put(`work/${file}`, text);
      if (model.length > 0) {
        home.put('home/config/models.yml', modelsFile(fake));
        fake.reply(...model.map(answerOf));
      }
      const between = '=== end of a step ===';
      const script = steps.map((step) => `${step.script}\necho; echo '${between}'\n`).join('');
      const child = spawn('bash', ['-c', `set -e -o pipefail; exec 2>&1 </dev/null\n${script}`], {
        cwd: home.work,
        env: home.environment(),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const { code, out } = await ended(child);
      const printed = out.split(between);
      expect(code, out).toBe(0);
      for (const [index, { output }] of steps.entries())
        expect(missingLines(printed[index] ?? '', output), out).toEqual([]);
      expect(fake.requests.length).toBe(model.length);
      await until(() => processesWith(home.folder, 'runs\0keep').length === 0);
    } finally {
      await fake.close();
      home.remove();
    }
  });
});
