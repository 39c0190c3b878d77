import { writeFile } from 'node:fs/promises';
import { buildResult, explainFailures, fitLines, type Tool, type ToolScope } from '@tenon/tools/api';
import { messageOf, Type } from '@tenon/kernel';
import { errors } from '../errors.ts';
import { renderPrompt } from '@tenon/prompts';
import { spacedOut } from '../mermaid/spaced-out.ts';
import text from '../prompts/render-mermaid.md';

/** Layout takes much longer the larger a diagram is, and nobody can read one of this size in a terminal. */
const MAX_SOURCE_CHARS = 20_000;

interface RenderConfig {
  readonly useAscii?: boolean;
  readonly paddingX?: number;
  readonly paddingY?: number;
  readonly boxBorderPadding?: number;
}

/** The tool that draws diagrams as text. */
export function createTool(): Tool {
  const spacing = (description: string) => Type.Optional(Type.Number({ description }));
  return explainFailures({
    description: renderPrompt(text),
    parameters: Type.Object(
      {
        mermaid: Type.String({ description: 'Source, e.g. graph TD; A-->B' }),
        config: Type.Optional(
          Type.Object(
            {
              useAscii: Type.Optional(Type.Boolean({ description: 'ASCII instead of box-drawing characters' })),
              paddingX: spacing('Between nodes, horizontally'),
              paddingY: spacing('Between nodes, vertically'),
              boxBorderPadding: spacing('Inside of boxes'),
            },
            { additionalProperties: false },
          ),
        ),
        svg: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
    touches: () => ({}),
    async execute(input, { scope, signal }) {
      const source = spacedOut(unfenced(String(input['mermaid']).trim()));
      if (source.length > MAX_SOURCE_CHARS) {
        throw errors.create('SMALL_TOOLS_DIAGRAM', { reason: `it is longer than ${MAX_SOURCE_CHARS} characters` });
      }
      const { renderMermaidASCII, renderMermaidSVG } = await import('../mermaid/renderer.ts');
      signal.throwIfAborted();
      const options = { ...tidy((input['config'] ?? {}) as RenderConfig), colorMode: 'none' as const };
      const diagram = draw(() => renderMermaidASCII(source, options)).trimEnd();
      if (diagram.trim() === '') throw errors.create('SMALL_TOOLS_DIAGRAM', { reason: 'it is empty' });
      const artifactId = await save(scope, 'render_mermaid', diagram);
      const svg = input['svg'] === true ? draw(() => renderMermaidSVG(source)) : undefined;
      const svgId = svg === undefined ? undefined : await save(scope, 'render_mermaid_svg', svg);
      const fitted = fitLines(diagram.split('\n'));
      const result = buildResult({
        ...(artifactId !== undefined && { artifactId }),
        ...(svgId !== undefined && { svgArtifactId: svgId }),
        ...(svg !== undefined && svgId === undefined && { svg }),
      });
      result.text(
        [
          ...fitted.lines,
          ...(artifactId === undefined ? [] : ['', `Saved artifact: artifact://${artifactId}`]),
          ...(svgId === undefined ? [] : [`Saved SVG: artifact://${svgId}`]),
        ].join('\n'),
      );
      if (fitted.isCut) result.notice('The diagram is cut; the artifact has all of it.');
      if (svg !== undefined && svgId === undefined) result.text(svg);
      return result.done();
    },
  });
}

function unfenced(source: string): string {
  return /^```[^\n]*\n([\s\S]*?)\n?```$/.exec(source)?.[1]?.trim() ?? source;
}

/** Sizes are whole numbers from 0 on, whatever was asked for. */
function tidy({ useAscii, ...sizes }: RenderConfig): RenderConfig {
  const whole = Object.entries(sizes).map(([name, size]) => [name, Math.max(0, Math.floor(size))] as const);
  return { ...(useAscii !== undefined && { useAscii }), ...Object.fromEntries(whole) };
}

function draw(work: () => string): string {
  try {
    return work();
  } catch (fault) {
    throw errors.create('SMALL_TOOLS_DIAGRAM', { reason: messageOf(fault) }, fault);
  }
}

async function save(scope: ToolScope | undefined, name: string, content: string): Promise<string | undefined> {
  const artifact = await scope?.artifact?.(name);
  if (!artifact) return undefined;
  await writeFile(artifact.path, content);
  return artifact.id;
}
