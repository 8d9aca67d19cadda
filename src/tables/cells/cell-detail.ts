import type { LargeValues } from '../../grid/cells/large-values.js';
import type { StaleCause } from '../../grid/states/stale-cause.js';
import type { CellJson } from '../../grid/cells/cell-json.js';

/** A cell and, when it is stale, why. */
export interface CellDetail {
  cell: CellJson;
  cause: StaleCause | null;
  /** Large values, which are only marks in `cell`. */
  large: LargeValues;
}
