import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { loadExtensions } from '../../src/extensions.js';
import { Importers } from '../../src/tables/imports/importer.js';
import { LabelsConsumer } from '../../examples/extension/house.js';
import { installServer } from '../support/built-extension.js';
import { addColumn, newSheet, settled, valuesOf } from '../support/factories.js';
import { logCall, text } from '../support/otlp.js';
import { publishPrompt, readPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const HOUSE = './examples/extension/house.ts';

describe('a package outside the server', () => {
  it('compiles with nothing but the declarations of tracesheet/extension', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-package-'));
    try {
      execFileSync('npm', ['run', 'build:types']);
      installServer(folder);
      const file = path.join(folder, 'house.mts');
      ts.sys.writeFile(file, ts.sys.readFile(HOUSE)!);
      const program = ts.createProgram([file], {
        module: ts.ModuleKind.NodeNext,
        target: ts.ScriptTarget.ES2023,
        strict: true,
        strictPropertyInitialization: false,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        skipLibCheck: true,
        noEmit: true,
        types: [],
      });
      const problems = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
      expect(problems).toEqual([]);
      expect(program.getSourceFiles().map(({ fileName }) => fileName)).toContainEqual(
        expect.stringMatching(/dist\/types\/src\/extension\.d\.ts$/),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('adds column types, a model provider, an importer and a consumer of events', async () => {
    const app = await TestApp.start({ extensions: await loadExtensions(HOUSE) });
    try {
      const sheet = await newSheet(app.client, ['Ada']);
      await addColumn(app.client, sheet, { title: 'R', type: 'HOUSE_REVERSE', config: { source: 'Column A' } });
      await addColumn(app.client, sheet, { title: 'G', type: 'HOUSE_GREETING', config: { name: 'Column A' } });
      await settled(app.client, sheet);
      expect(await valuesOf(app.client, sheet)).toEqual([['Ada', 'adA', 'Hello, Ada!']]);

      await publishPrompt(app.client, 'greeting', {
        model: { provider: 'house', name: 'house-7b', parameters: { max_tokens: 5 } },
        labels: ['prod'],
      });
      const { llm_kwargs: kwargs } = await readPrompt(app.client, 'greeting', '?include_llm_kwargs=true');
      expect(kwargs).toEqual({ text: expect.stringContaining('Hello') as string, model: 'house-7b', max_tokens: 5 });

      expect(
        await app.app.get(Importers, { strict: false }).get('house_questions').plan(undefined!, undefined!, undefined!),
      ).toMatchObject({ rowCount: 2 });
      await until(() => Promise.resolve(app.app.get(LabelsConsumer, { strict: false }).seen === 1));
    } finally {
      await app.stop();
    }
  });

  it.each(['tracesheet', 'tracesheet/dist/src/tables/index.js', 'tracesheet/src/extension.ts'])(
    'cannot import %s',
    (name) => {
      expect(() => createRequire(path.resolve('package.json')).resolve(name)).toThrow(
        /is not defined by "exports"|No "exports" main/,
      );
    },
  );
});

describe('EXTENSIONS', () => {
  it('adds a trace convention: spans that only it knows become request logs', async () => {
    const app = await TestApp.start({ works: false, extensions: await loadExtensions(` ${HOUSE}, `) });
    try {
      const attributes = [text('house.model', 'house-7b'), text('house.question', 'Where is my parcel?')];
      const id = await logCall(app.client, {}, { attributes });

      expect(await app.client.get(`/api/public/v2/requests/${id}`)).toMatchObject({
        provider: 'house',
        model: 'house-7b',
        prompt_blueprint: {
          prompt_template: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Where is my parcel?' }] }] },
        },
      });
    } finally {
      await app.stop();
    }
  });

  it('is empty by default', async () => {
    expect(await loadExtensions('')).toEqual([]);
  });

  it('is refused with every file that is missing or holds no module', async () => {
    const names = `./nowhere.js, ${HOUSE}, ./test/support/otlp.ts`;
    await expect(loadExtensions(names)).rejects.toThrow(
      /2 problem\(s\):\n {2}- EXTENSIONS: \.\/nowhere\.js cannot be loaded: .*\n {2}- EXTENSIONS: \.\/test\/support\/otlp\.ts has no Nest module/s,
    );
  });
});
