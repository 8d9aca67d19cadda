import type { JsonObject, JsonValue } from '../../platform/json.js';

export const CELL_STATUSES = ['stale', 'queued', 'running', 'completed', 'error', 'cancelled'] as const;
export type CellStatus = (typeof CELL_STATUSES)[number];

/** A cell as `CellWriter` writes it. The API documents the same fields in `CellBody`. */
export interface CellJson {
  id: string;
  sheet_id: string;
  column_id: string;
  row_index: number;
  status: CellStatus;
  display_value: string | null;
  value: JsonValue;
  error: string | null;
  error_message: string | null;
  input_hash: string | null;
  updated_at: string;
  request_metrics: JsonObject | null;
  execution_id: string | null;
  last_computed_version: number | null;
}
