import { kernelErrors } from './kernel-errors.ts';
import { type Manifest, ManifestSchema } from './manifest.ts';
import { checkValue, problemText } from '@tenon/schema';

/** Checks the raw `tenon` section of a package.json. Throws one error that names every problem in it. */
export async function parseManifest(raw: unknown, file: string, version?: string): Promise<Manifest> {
  const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
  const section = isObject ? { ...(version !== undefined && { version }), ...raw } : raw;
  const problems = await checkValue(ManifestSchema, section);
  if (problems.length === 0) return section as Manifest;
  const plugin = isObject && 'id' in raw && typeof raw.id === 'string' ? raw.id : '(no id)';
  throw kernelErrors.create('KERNEL_MANIFEST_INVALID', { plugin, file, problems: problemText(problems) });
}
