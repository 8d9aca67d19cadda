import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishPrompt, type ReadPrompt, renderPrompt, textsOf } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { createTool, executionOf, type Language, testExecute } from '../support/tools.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ works: false, env: { TOOL_TIME_LIMIT_MS: '60000', SANDBOX_PROCESSES: '3' } });
});
afterAll(() => app.stop());

/** A workspace that runs code as a tool of its own. */
async function workspaceWithTool() {
  const client = await app.stranger();
  const tool = await createTool(client, 'run');
  const run = (language: Language, code: string, inputs: object = {}) =>
    testExecute(client, tool, { inputs, execution: executionOf(language, code) });
  return { client, run };
}

const SECRET = 'only-for-the-other-workspace';

/** Each tries to stay in its process, and later gives back all it has seen of others. */
const SPIES: [title: string, code: string][] = [
  [
    'by the proxies of its host and a function that restores memory',
    `
import sys
py = [f for f in sys.meta_path if 'JsFinder' in type(f).__name__][0].jsproxies['pyodide_js']
fr = sys._getframe()
while 'call_function' not in fr.f_globals: fr = fr.f_back
g = fr.f_globals
if 'loot' not in g:
    H = py._module.HEAPU8; H.set = H.fill = py.constructor.prototype.valueOf
    g['loot'] = []; old = g['call_function']
    def spy(*args): g['loot'].append(repr(args)); return old(*args)
    g['call_function'] = spy
return g['loot']`,
  ],
  [
    'in the prototypes of its host',
    `
from pyodide.ffi import to_js
prototype = to_js([1]).constructor.prototype
seen = getattr(prototype, 'seen', None)
prototype.seen = 'was here'
return seen`,
  ],
  [
    'in the names of what calls it',
    `
import sys
fr = sys._getframe(1)
while fr.f_back: fr = fr.f_back
g = fr.f_globals
loot = g.setdefault('loot', [])
if not loot: loot.append('was here'); old = g['loads']; g['loads'] = lambda text: (loot.append(text), old(text))[1]
return loot[1:]`,
  ],
];

it.each(SPIES)('keeps what one workspace runs from another that spies %s', async (_, code) => {
  const spy = await workspaceWithTool();
  const victim = await workspaceWithTool();
  await victim.client.post('/api/public/v2/env-vars', { key: 'TOKEN', value: SECRET }, 201);
  await spy.run('python', code);
  const used = await victim.run('python', 'import os\nreturn [os.environ["TOKEN"], args["input"]]', {
    input: 'private',
  });
  expect(used.result).toEqual([SECRET, 'private']);
  const { result } = await spy.run('python', code);
  expect(result ?? []).toEqual([]);
});

it('renders for one key while another of its workspace has sent many templates that take all the time they may', async () => {
  const client = await app.stranger();
  const bomb = '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}';
  const { workspace_id: id } = await publishPrompt(client, 'bomb', { message: bomb, format: 'jinja2' });
  await publishPrompt(client, 'greeting', { message: 'Hello {{ name }}!', format: 'jinja2' });
  const issued = await app.operator().post(`/api/admin/v1/workspaces/${id}/api-keys`, { role: 'admin' }, 201);
  const other = app.clientWith((issued as { secret: string }).secret);
  let ended = 0;
  const bombs = Array.from({ length: 12 }, () => renderPrompt(client, 'bomb').then(() => ended++));
  const rendered = await renderPrompt(other, 'greeting', { input_variables: { name: 'Ada' } });
  expect(textsOf(rendered)).toEqual(['Hello Ada!']);
  // At most what had a slot already, and one in each slot that was before it in turn.
  expect(ended).toBeLessThanOrEqual(6);
  await Promise.all(bombs);
});

it('serves a workspace while endless code of two others has every slot for code', async () => {
  const third = await workspaceWithTool();
  await publishPrompt(third.client, 'greeting', { message: 'Hello {{ name | upper }}!', format: 'jinja2' });
  const others = await Promise.all([workspaceWithTool(), workspaceWithTool()]);
  // They end with the server.
  const endless = others.flatMap(({ run }) =>
    Array.from({ length: 3 }, () => run('javascript', 'while (true);').catch(() => null)),
  );
  const whileTheyRun = (work: Promise<unknown>) => Promise.race([work, ...endless]);
  const rendered = await whileTheyRun(renderPrompt(third.client, 'greeting', { input_variables: { name: 'Ada' } }));
  expect(textsOf(rendered as ReadPrompt)).toEqual(['Hello ADA!']);
  expect(await whileTheyRun(third.run('javascript', 'return 1;'))).toMatchObject({ result: 1 });
});
