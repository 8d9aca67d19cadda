import { expect, it } from 'vitest';
import { isReserved } from './reserved-names.js';

const loader = ['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'GLIBC_TUNABLES', 'ld_preload'];
const interpreters = ['PYTHONSTARTUP', 'PYTHONPATH', 'PYTHON_GIL', 'NODE_OPTIONS', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS'];
const shell = ['PATH', 'Path', 'IFS', 'BASH_ENV', 'ENV', 'SHELL', 'HOME', '_'];

it.each([...loader, ...interpreters, ...shell])('%s is reserved', (name) => {
  expect(isReserved(name)).toBe(true);
});

const similar = ['PATHS', 'MY_PATH', 'API_KEY', 'NODE_ENV', 'MY_PYTHONPATH', 'OLD_PRELOAD', 'ENVIRONMENT', 'HOMEPAGE'];

it.each([...similar, 'DATABASE_URL', 'PORT', 'TZ', '_KEY', 'X'])('%s is not reserved', (name) => {
  expect(isReserved(name)).toBe(false);
});
