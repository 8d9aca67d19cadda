import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReverseColumnType } from './house.js';

void test('a text is read backwards, letter by letter', () => {
  const type = new ReverseColumnType();
  assert.equal(type.compute({ source: 'abc 🙂' }), '🙂 cba');
  assert.equal(type.compute({ source: null }), '');
});
