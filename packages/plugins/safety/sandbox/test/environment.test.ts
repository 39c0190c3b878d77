import { expect, it } from 'vitest';
import { isSecretVariable } from '../src/environment.ts';

it.each([
  ['MYSQL_PWD', 'correcthorse', true],
  ['LDAP_BIND_PW', 'correcthorse', true],
  ['PWD', '/home/ada', false],
  ['INIT_PWD', '/home/ada', false],
  ['PGPASSWORD', 'correcthorse', true],
])('%s=%s is a secret: %s', (name, value, isSecret) => {
  expect(isSecretVariable(name, value)).toBe(isSecret);
});
