import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

const USERS = '/api/admin/v1/users';
const MANY = 50_000;

interface User {
  id: number;
  email: string;
  status: string;
}

type Users = Page<User> & { users: User[]; filters: object };

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  await app.sql(
    `INSERT INTO users (email, email_key, status)
     SELECT 'Person-' || n || '@Example.com', 'person-' || n || '@example.com', CASE WHEN n % 1000 = 0 THEN 'disabled' ELSE 'active' END
       FROM generate_series(1, $1::int) AS n`,
    [MANY],
  );
  await app.sql(`INSERT INTO users (email, email_key) VALUES ('50%_off@example.com', '50%_off@example.com')`);
  await app.sql('ANALYZE users');
});
afterAll(() => app.stop());

const list = async (query = ''): Promise<Users> => (await app.operator().get(`${USERS}${query}`)) as Users;

const idsOf = ({ users }: Users) => users.map(({ id }) => id);

describe('the list of users', () => {
  it('has the oldest hundred for clients that ask for nothing', async () => {
    const page = await list();
    expect(idsOf(page)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(page).toMatchObject({ success: true, count: 100, has_more: true, filters: {}, pagination: { limit: 100 } });
    expect(page.users[0]).toEqual({
      id: 1,
      email: 'Person-1@Example.com',
      name: null,
      status: 'active',
      created_at: expect.any(String),
      last_seen_at: null,
    });
  });

  it('has pages in both directions and orders', async () => {
    const first = await list('?limit=3');
    const second = await list(`?limit=3&cursor=${encodeURIComponent(first.next_cursor!)}`);
    expect([idsOf(first), idsOf(second)]).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const { prev_cursor: back } = (second as unknown as { pagination: { prev_cursor: string } }).pagination;
    expect(idsOf(await list(`?limit=3&cursor=${encodeURIComponent(back)}`))).toEqual([1, 2, 3]);
    const newest = await list('?limit=2&order=desc');
    expect(idsOf(newest)).toEqual([MANY + 1, MANY]);
    const older = await list(`?limit=2&order=desc&cursor=${encodeURIComponent(newest.next_cursor!)}`);
    expect(idsOf(older)).toEqual([MANY - 1, MANY - 2]);
  });

  it('has every user once over its pages, also while users come and go', async () => {
    const seen: number[] = [];
    let cursor = '';
    do {
      const page = await list(`?limit=100&email_prefix=person-49${cursor}`);
      seen.push(...idsOf(page));
      if (seen.length === 200) await app.sql('DELETE FROM users WHERE id = $1', [seen[0]]);
      cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    expect(seen).toHaveLength(1111);
    expect(new Set(seen).size).toBe(1111);
  });

  it.each([
    ['email_prefix=person-4999', 11],
    ['email_prefix=PERSON-4999', 11],
    ['email_prefix=person-49999%40example.com', 1],
    ['email_prefix=50%25_', 1],
    ['email_prefix=%25', 0],
    ['email_prefix=person-4_9', 0],
    ['email_prefix=nobody', 0],
    ['status=disabled&limit=100', 50],
    ['status=disabled&email_prefix=person-49', 1],
    ['status=active&email_prefix=person-49000', 0],
    ['email_prefix=a%00b', 0],
    ['email_prefix=%F0%9F%98', 0],
  ])('finds with ?%s %i users', async (query, count) => {
    expect((await list(`?${query}`)).users).toHaveLength(count);
  });

  it.each([
    ['limit=0', 422],
    ['limit=101', 422],
    ['limit=999999999999999999999', 422],
    ['order=up', 422],
    ['status=gone', 422],
    [`email_prefix=${'x'.repeat(321)}`, 422],
    ['name=Sam', 422],
    ['cursor=nonsense', 400],
  ])('answers ?%s with %i', async (query, status) => {
    await app.operator().get(`${USERS}?${query}`, status);
  });

  it('refuses a cursor of another order or other filters', async () => {
    const { next_cursor: cursor } = await list('?limit=1');
    await app.operator().get(`${USERS}?order=desc&cursor=${encodeURIComponent(cursor!)}`, 400);
    await app.operator().get(`${USERS}?status=active&cursor=${encodeURIComponent(cursor!)}`, 400);
  });

  it.each([
    ['u.id > 25000', /users_pkey/],
    // Both have the addresses in order; the planner takes either.
    [`u.email_key ^@ 'person-4999'`, /users_email_(?:prefix_idx|key)/],
  ])('reads pages with the condition %s by an index', async (condition, index) => {
    const sql = `EXPLAIN SELECT * FROM users u WHERE ${condition} ORDER BY u.id LIMIT 101`;
    const plan = (await app.sql(sql)) as { 'QUERY PLAN': string }[];
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toMatch(index);
  });
});
