import { expect, it } from 'vitest';
import { loggedShape, statementName, workspaceIn } from './statement-shape.js';

it.each([
  ["SELECT 1\n  FROM a WHERE b = 'it''s me' AND c IN ($1, $2,  $3)", "SELECT 1 FROM a WHERE b = '…' AND c IN ($, …)"],
  ['INSERT INTO a VALUES ($1, $2), ($3, $4)', 'INSERT INTO a VALUES ($, …), …'],
  ['DO $x$ BEGIN secret; END $x$', 'DO $…$'],
])('the shape of %s contains no values', (text, shape) => expect(loggedShape(text)).toBe(shape));

it('the shape of a long statement is cut', () => expect(loggedShape('x'.repeat(5000))).toHaveLength(2001));

it.each([
  ['SELECT FROM a WHERE a.workspace_id = $2', ['x', 7], 7],
  ['SELECT FROM "a" "A" WHERE "A"."workspace_id" = $1', ['7'], 7],
  ['INSERT INTO a (workspace_id, id) VALUES ($1, $2)', [7, 1], 7],
  ['INSERT INTO "a"("workspace_id", "id") SELECT $2, n FROM b', [1, 7], 7],
  ['SELECT FROM a WHERE workspace_id = ANY($1)', [[7]], null],
  ['SELECT 1', [], null],
  ['SELECT FROM a WHERE workspace_id = $1', [], null],
  ['SELECT FROM a WHERE workspace_id = $1', ['x'], null],
])('the workspace of %s with %j is %j', (text, values, workspace) => expect(workspaceIn(text, values)).toBe(workspace));

it.each([
  ['SELECT a FROM "traces" WHERE x', 'SELECT traces'],
  ['WITH x AS (SELECT 1 FROM b) INSERT INTO c SELECT', 'SELECT b'],
  ['COPY spans (a) FROM STDIN', 'COPY spans'],
  ['update things SET a = 1', 'UPDATE things'],
  ['COMMIT', 'COMMIT'],
  ['VACUUM', 'SQL'],
])('%s is called %s', (text, name) => expect(statementName(text)).toBe(name));
