import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/platform/canonical-json.js';
import type { JsonObject } from '../../src/platform/json.js';
import { download, installation, untilSealed, verify } from '../support/audit.js';
import { erase, newWorkspace } from '../support/erasures.js';
import { ADMIN, invite } from '../support/single-sign-on.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const PATH = `${ADMIN}/audit-entries`;
const PASSWORD = 'correct horse battery';

describe('the chain of the installation', () => {
  let works: TestApp;
  beforeAll(async () => {
    works = await TestApp.own();
  });
  afterAll(() => works.stop());

  const write = async (count: number) => {
    for (let n = 0; n < count; n += 1) await works.operator().post(`${ADMIN}/scim-tokens`, { name: `token ${n}` }, 201);
  };

  /** The number of tokens whose creation is in the download. */
  const tokens = async (): Promise<number> => {
    const { body } = await works.operator().request('GET', `${PATH}/download?format=csv&action=scim_token.create`);
    return String(body).split('\n').filter(Boolean).length - 1;
  };

  it('is verified, downloaded and continued like that of a workspace', async () => {
    const where = installation(works);
    const before = await tokens();
    await write(3);
    await untilSealed(works, where);
    const { head } = await verify(where);
    await write(2);
    await untilSealed(works, where);
    expect(await verify(where, head!)).toMatchObject({ is_intact: true, is_complete: true, verified_count: 2 });
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    let previous = '';
    const lines = await download(where);
    expect(lines.length).toBeGreaterThanOrEqual(6);
    for (const { workspace_id, id, occurred_at, action, entity_id, key_id, request_id, ...line } of lines) {
      const details_hash = sha256(canonicalJson(line.details as JsonObject));
      const hashed = { workspace_id, id, occurred_at, action, entity_id, key_id, request_id, details_hash };
      const text = canonicalJson({ ...hashed, position: line.position, previous_hash: previous } as JsonObject);
      previous = sha256(text);
      expect(line.hash).toBe(previous);
    }
    expect(await tokens()).toBe(before + 5);
  });

  it('is independent of the chains of workspaces', async () => {
    const customer = await newWorkspace(works);
    await untilSealed(works, customer);
    await untilSealed(works, installation(works));
    expect(await verify(customer)).toMatchObject({ is_intact: true, verified: { position: 2 } });
  });

  it.each([
    ['altered', `UPDATE audit_entries SET details = '{"name": "x"}' WHERE workspace_id = 0 AND id = $1`],
    ['altered', `UPDATE audit_entries SET action = 'user.sign_in' WHERE workspace_id = 0 AND id = $1`],
    ['removed', 'DELETE FROM audit_entries WHERE workspace_id = 0 AND id = $1'],
  ])('shows that an entry was %s by %s', async (kind, change) => {
    const where = installation(works);
    await write(2);
    await untilSealed(works, where);
    const [, second] = await download(where);
    const rows = 'FROM audit_entries e WHERE workspace_id = 0 AND id = $1';
    const [{ row }] = (await works.sql(`SELECT to_jsonb(e) AS row ${rows}`, [second!.id])) as [{ row: object }];
    await works.sql(change, [second!.id]);
    const found = await verify(where);
    await works.sql(`DELETE ${rows}`, [second!.id]);
    await works.sql(
      'INSERT INTO audit_entries OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_record(NULL::audit_entries, $1)',
      [row],
    );
    expect(found).toMatchObject({ is_intact: false, break: { kind, position: 2, entry_id: second!.id } });
    expect(await verify(where)).toMatchObject({ is_intact: true });
  });

  it('stays intact when the operator erases a person from it', async () => {
    const customer = await newWorkspace(works);
    const email = 'erased@example.com';
    const token = await invite(customer.me, `${ADMIN}/workspaces/${customer.id}`, email);
    await works.clientWith(null).post('/console/invitation/accept', { token, password: PASSWORD }, 201);
    await untilSealed(works, installation(works));
    // An administrator erases from the workspace alone.
    await erase(customer, { user_id: email });
    expect(JSON.stringify(await download(installation(works)))).toContain(email);
    await erase({ ...customer, me: works.operator() }, { user_id: email });
    await until(async () => !JSON.stringify(await download(installation(works))).includes(email));
    await untilSealed(works, installation(works));
    const verified = await verify(installation(works));
    expect(verified).toMatchObject({ is_intact: true, is_complete: true });
    expect(verified.erased_count).toBeGreaterThan(0);
  });
});
