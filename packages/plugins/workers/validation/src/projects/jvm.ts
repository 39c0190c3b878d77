/** Java and Kotlin projects: Maven and Gradle, by their wrappers where there are any. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectKind } from '../project.ts';

/** Finds the steps of a Maven or Gradle project. */
export const jvmProject: ProjectKind = ({ root }) => {
  const has = (name: string) => existsSync(join(root, name));
  const step = (sign: string, ...argv: readonly string[]) => ({
    isScoped: false,
    how: sign,
    steps: [{ title: argv.slice(1).join(' '), argv, cwd: root }],
  });
  if (has('pom.xml')) return step('maven (pom.xml)', has('mvnw') ? './mvnw' : 'mvn', '--batch-mode', 'verify');
  const gradle = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'].find(has);
  return gradle === undefined
    ? undefined
    : step(`gradle (${gradle})`, has('gradlew') ? './gradlew' : 'gradle', 'check');
};
