import { ValidationProblem } from '../../platform/errors/problem.js';
import type { ColumnTypes, RegisteredColumnType } from '../column-type/column-type.js';
import { rulesOf } from '../column-type/kinds.js';
import { GridErrors } from '../shared/grid.errors.js';

/** Types that the API knows but does not offer for columns of a sheet. */
const NEVER_CREATABLE = new Set(['DATASET', 'CONDITION']);

/** Whether a text is the name of a type, in any letter case, creatable or not. */
export function isTypeName(types: ColumnTypes, name: string): boolean {
  return NEVER_CREATABLE.has(name.toUpperCase()) || types.find(name) !== null;
}

/** Whether people may add columns of this type to sheets. */
export function isCreatable({ options }: RegisteredColumnType): boolean {
  return !options.scorecardOnly && rulesOf(options.kind).creatable;
}

/** Finds a type by name. Throws column_type_not_creatable, and a validation problem for an unknown name. */
export function findCreatableType(types: ColumnTypes, name: string): RegisteredColumnType {
  if (NEVER_CREATABLE.has(name.toUpperCase())) throw GridErrors.column_type_not_creatable(name.toUpperCase());
  const type = types.find(name);
  if (type && !isCreatable(type)) throw GridErrors.column_type_not_creatable(type.options.name);
  if (type) return type;
  const known = types.list().map(({ options }) => `'${options.name}'`);
  throw new ValidationProblem([
    { loc: ['body', 'type'], msg: `Input should be one of ${known.join(', ')}`, type: 'enum' },
  ]);
}
