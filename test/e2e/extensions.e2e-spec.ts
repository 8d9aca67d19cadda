import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadExtensions } from '../../src/extensions.js';
import { Importers } from '../../src/imports/importer.js';
import type { LabelsConsumer } from '../../examples/extension/house.js';
import { builtExtension, installServer } from '../support/built-extension.js';
import { deepIt } from '../support/depth.js';
import { addColumn, newSheet, settled, valuesOf } from '../support/factories.js';
import { logCall, text } from '../support/otlp.js';
import { addCredential } from '../support/model-credentials.js';
import { publishPrompt, readPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

/** The services that the example calls: a greeting and a model. */
async function houseService(): Promise<{ url: string; stop(): Promise<unknown> }> {
  const server = createServer((request, response) => {
    void readText(request).then((said) => {
      if (request.url !== '/answers') return response.end(`Hello, ${said}!`);
      const known = request.headers['x-house-key'] === 'sk-test-0123456789' && said.includes('Who is Ada?');
      return response.writeHead(known ? 200 : 401).end(JSON.stringify({ answer: 'Nobody knows.' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

const HOUSE = 'examples/extension/house.ts';

let folder: string;
let house: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-house-'));
  house = builtExtension(HOUSE, folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a package outside the server', () => {
  deepIt('compiles with nothing but the declarations of tracesheet/extension', () => {
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
    const service = await houseService();
    const env = { OUTBOUND_ALLOW_PRIVATE: 'on' };
    const extensions = await loadExtensions(house);
    const app = await TestApp.start({ extensions, env });
    try {
      const sheet = await newSheet(app.client, ['Ada']);
      await addColumn(app.client, sheet, { title: 'R', type: 'HOUSE_REVERSE', config: { source: 'Column A' } });
      await addColumn(app.client, sheet, {
        title: 'G',
        type: 'HOUSE_GREETING',
        config: { name: 'Column A', url: service.url },
      });
      await addCredential(app.client, { provider: 'house', base_url: service.url });
      await addColumn(app.client, sheet, {
        title: 'M',
        type: 'PROMPT_TEMPLATE',
        config: {
          inline_template: {
            inline: true,
            prompt_template: { type: 'completion', content: [{ type: 'text', text: 'Who is {name}?' }] },
            metadata: { model: { provider: 'house', name: 'house-7b', parameters: {} } },
          },
          prompt_template_variable_mappings: { name: 'Column A' },
        },
      });
      await settled(app.client, sheet);
      expect(await valuesOf(app.client, sheet)).toEqual([['Ada', 'adA', 'Hello, Ada!', 'Nobody knows.']]);

      await publishPrompt(app.client, 'greeting', {
        model: { provider: 'house', name: 'house-7b', parameters: { max_tokens: 5 } },
        labels: ['prod'],
      });
      const { llm_kwargs: kwargs } = await readPrompt(app.client, 'greeting', '?include_llm_kwargs=true');
      expect(kwargs).toEqual({ text: expect.stringContaining('Hello') as string, model: 'house-7b', max_tokens: 5 });

      expect(
        await app.app.get(Importers, { strict: false }).get('house_questions').plan(undefined!, undefined!, undefined!),
      ).toMatchObject({ rowCount: 2 });
      const providers = Reflect.getMetadata('providers', extensions[0]!) as (typeof LabelsConsumer)[];
      const consumer = providers.find(({ name }) => name === 'LabelsConsumer')!;
      await until(() => Promise.resolve(app.app.get(consumer, { strict: false }).seen === 1));
    } finally {
      await app.stop();
      await service.stop();
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
    const app = await TestApp.start({ works: false, extensions: await loadExtensions(` ${house}, `) });
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
    const names = `./nowhere.js, ${house}, ./scripts/lib/digest.mjs`;
    await expect(loadExtensions(names)).rejects.toThrow(
      /2 problems:\n {2}- EXTENSIONS: \.\/nowhere\.js cannot be loaded: .*\n {2}- EXTENSIONS: \.\/scripts\/lib\/digest\.mjs has no Nest module/s,
    );
  });
});
