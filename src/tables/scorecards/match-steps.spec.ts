import { expect, it } from 'vitest';
import type { PlannedStep } from './calculation-plan.js';
import { matchSteps } from './match-steps.js';

const step = (id: string, title = id, type = 'CONTAINS') => ({ id, title, type }) as PlannedStep;

it.each<[string, PlannedStep[], PlannedStep[], [string, string][]]>([
  ['by id, whatever it is called', [step('1', 'New')], [step('1', 'Old')], [['1', '1']]],
  ['by title and type', [step('1', 'A')], [step('2', 'A')], [['1', '2']]],
  ['not by the title alone', [step('1', 'A', 'REGEX')], [step('2', 'A')], []],
  ['not where two are called so before', [step('1', 'A')], [step('2', 'A'), step('3', 'A')], []],
  ['not where two are called so now', [step('1', 'A'), step('4', 'A')], [step('2', 'A')], []],
  ['not with a step that has its own match', [step('1', 'A'), step('2', 'B')], [step('2', 'A')], [['2', '2']]],
])('steps are matched %s', (_, steps, others, expected) => {
  const matched = [...matchSteps(steps, others)].map(([id, other]) => [id, other.id]);
  expect(matched).toEqual(expected);
});
