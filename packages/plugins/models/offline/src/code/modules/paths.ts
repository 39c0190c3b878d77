/** Paths as the tools print them: relative, with `/`. */

/** The folder of a file; empty for the project itself. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** The name of a file, without its last extension. */
export function stemOf(path: string): string {
  return (path.split('/').at(-1) ?? path).replace(/(?<=.)\.[^.]+$/, '');
}

/** A path below a folder, with `.` and `..` worked out. */
export function joinPath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of [...folder.split('/'), ...path.split('/')]) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

/** A folder and those around it, the innermost first. */
export function foldersUp(folder: string): string[] {
  const folders = [folder];
  while (folders.at(-1) !== '') folders.push(folderOf(folders.at(-1) ?? ''));
  return folders;
}
