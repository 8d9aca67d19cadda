export { commonConditions, type ListedTable } from './common-conditions.js';
export { listConditions, type ListQuery } from './list-conditions.js';
export { CommonListQuery, externalIdIn, SORT_KEYS, type SortKey } from './common-list.dto.js';
