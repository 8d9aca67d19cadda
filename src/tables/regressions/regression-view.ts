import type { Sheet } from '../../grid/shared/sheet.entity.js';
import type { SheetVersion } from '../../grid/shared/sheet-version.entity.js';
import type { Regression } from './regression.entity.js';

/** A search, and the versions of the sheet that it has scored. */
export interface RegressionView {
  sheet: Sheet;
  regression: Regression;
  versions: SheetVersion[];
  /** US dollars so far, with the version being computed. */
  cost: number;
}
