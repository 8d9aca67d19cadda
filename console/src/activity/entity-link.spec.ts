import { expect, it } from 'vitest';
import { screenOf } from './entity-link';

it.each([
  ['dataset.create', { name: 'a' }, '/datasets/7'],
  ['dataset.publish', { group_id: 3, version_number: 2 }, '/datasets/3'],
  ['dataset.save_draft', { group_id: 3 }, '/datasets/3'],
  ['dataset.delete', { name: 'a' }, null],
  ['monitor.update', { group_id: 3 }, '/monitors?id=7'],
  ['unknown.create', {}, null],
])('links an entry of %s with %j to %s', (action, details, screen) => {
  expect(screenOf({ action, entity_id: '7', details })).toBe(screen);
});
