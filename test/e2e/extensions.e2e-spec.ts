import { describe, expect, it } from 'vitest';
import { loadExtensions } from '../../src/extensions.js';
import { logCall, text } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

const HOUSE = './test/support/house.extension.ts';

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
