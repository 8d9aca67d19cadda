import { expect, it } from 'vitest';
import { usesOfOtherConnections } from '../../scripts/lib/transactions.mjs';

it.each([
  ['this.db.transaction((tx) => this.db.query(1))', 1],
  ['this.db.transaction(async (tx) => read(this.dataSource.manager))', 1],
  ['const write = (tx: EntityManager, row: Row) => { for (const each of row) this.db.query(each); }', 1],
  ['const run = (db) => db.transaction((tx) => db.query(1))', 1],
  ['class A { store(tx: EntityManager) { return this.db.query(1); } }', 1],
  ['this.db.transaction((tx) => tx.query(1)); this.db.query(2)', 0],
  ['class A { read(db: EntityManager) { return db.query(1); } }', 0],
  ['this.db.transaction((tx) => within(tx, (db) => db.query(1)))', 0],
  ['this.db.transaction((tx) => make({ db: tx }))', 0],
])('finds what uses another connection inside a transaction: %s', (code, count) => {
  expect(usesOfOtherConnections('a.ts', code)).toHaveLength(count);
});
