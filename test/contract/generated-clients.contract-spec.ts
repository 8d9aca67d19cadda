import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_DEEP } from '../support/depth.js';
import { TestApp } from '../support/test-app.js';

/** Commands to install each one are in CONTRIBUTING.md; a test downloads nothing. */
const PYTHON = process.env.PYTHON ?? 'python3';
const SPECTRAL = process.env.SPECTRAL ?? 'spectral';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLES = path.join(ROOT, 'examples/clients');

let env: NodeJS.ProcessEnv;
let folder: string;
let documentUrl: string;
beforeAll(async () => {
  if (!IS_DEEP) return;
  const app = await TestApp.start();
  const url = await app.listen();
  documentUrl = `${url}/openapi.json`;
  env = { ...process.env, TRACESHEET_URL: url, TRACESHEET_API_KEY: app.apiKey };
  folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-clients-'));
  writeFileSync(path.join(folder, 'openapi.json'), JSON.stringify(await app.clientWith(null).get('/openapi.json')));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
});
afterAll(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Runs a program and returns its output. The error of a failure contains it. */
async function run(program: string, ...given: string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(program, given, { cwd: folder, env, maxBuffer: 1 << 26 }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${program} ${given.join(' ')} failed:\n${stdout}\n${stderr}`);
    },
  );
}

/** Also in a run that has no such tests. */
function isMissing(program: string, ...given: string[]): boolean {
  if (!IS_DEEP) return true;
  try {
    execFileSync(program, given, { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
}

const STRICT = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--outDir', 'out'];

/** An error of types: the score is a number. It is compiled and never run. */
const WRONG = `
// @ts-expect-error
export const wrong = () => client.POST('/rest/track-score', { body: { request_id: 1, score: 'ninety' } });
`;

describe.runIf(IS_DEEP)('a client generated from the document', () => {
  it('by openapi-typescript compiles strictly and makes ten calls', async () => {
    const { execPath } = process;
    const options = [documentUrl, '--default-non-nullable=false', '-o', 'tracesheet.d.ts'];
    await run(execPath, 'node_modules/openapi-typescript/bin/cli.js', ...options);
    const calls = readFileSync(path.join(EXAMPLES, 'typescript/ten-calls.ts'), 'utf8');
    writeFileSync(path.join(folder, 'ten-calls.ts'), calls + WRONG);
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    await run(execPath, 'node_modules/typescript/bin/tsc', ...STRICT, 'ten-calls.ts');
    expect((await run(execPath, 'out/ten-calls.js')).stdout).toContain('Ten calls were made');
  });

  it.skipIf(isMissing(PYTHON, '-c', 'import openapi_python_client'))(
    'by openapi-python-client makes ten calls (PYTHON names a python that has it; skipped otherwise)',
    async () => {
      const options = ['generate', '--url', documentUrl, '--meta', 'none', '--output-path', 'tracesheet_client'];
      const { stdout, stderr } = await run(PYTHON, '-m', 'openapi_python_client', ...options);
      // Only the other forms of the bodies of OTLP are left out, and an archive: this generator knows no answer of its type.
      expect((stdout + stderr).match(/^WARNING .*/gm)).toEqual([
        'WARNING parsing GET /api/admin/v1/workspaces/{workspace_id}/export within administration.',
        ...['traces', 'logs', 'metrics'].map((name) => `WARNING parsing POST /v1/${name} within ingestion.`),
      ]);
      cpSync(path.join(EXAMPLES, 'python/ten_calls.py'), path.join(folder, 'ten_calls.py'));
      expect((await run(PYTHON, 'ten_calls.py')).stdout).toContain('Ten calls were made');
    },
  );
});

describe.runIf(IS_DEEP)('the document', () => {
  it.skipIf(isMissing(SPECTRAL, '--version'))(
    'has nothing that Spectral warns of (SPECTRAL names the program, or else this is skipped)',
    async () => {
      const options = ['--ruleset', path.join(ROOT, '.spectral.yaml'), '--format', 'json', '--quiet'];
      const { stdout } = await run(SPECTRAL, 'lint', 'openapi.json', ...options);
      const found = JSON.parse(stdout) as { code: string }[];
      // Whether everything is described is another question.
      expect(found.filter(({ code }) => code !== 'operation-description')).toEqual([]);
    },
  );
});
