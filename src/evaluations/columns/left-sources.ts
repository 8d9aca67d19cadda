import { isSameName } from '../../platform/comparable-text.js';
import { Problem } from '../../platform/errors/problem.js';
import type { JsonObject } from '../../platform/json.js';
import type { GivenDependency } from '../../grid/columns/references.js';
import { parseConfig } from '../../grid/column-type/parse-config.js';
import type { RegisteredColumnType } from '../../grid/column-type/column-type.js';
import { sourcesOf } from '../../grid/column-type/sources-of.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';

interface Named {
  id: string;
  title: string;
}

/** The columns around one whose configuration is read. */
export interface Neighbours {
  /** In their order. */
  left: Named[];
  /** Titles of the columns to the right. */
  right: string[];
}

interface Configured {
  name: string;
  type: RegisteredColumnType;
  configuration: JsonObject;
}

/**
 * Finds the columns that a configuration names. Only columns to the left can be named. Of two with the same name the right one
 * counts: an evaluation column takes precedence over one of the dataset. Throws report_column_config_invalid,
 * report_column_source_unknown and report_column_source_right.
 */
export function leftSources(column: Configured, { left, right }: Neighbours): GivenDependency[] {
  return sourcesOf(column.type, readConfiguration(column)).map(({ place, reference, configKey, configMeta }) => {
    const source = left.findLast(({ title }) => isSameName(title, reference));
    if (source) return { columnId: source.id, configKey, configMeta };
    const isRight = right.some((title) => isSameName(title, reference));
    throw (isRight ? EvaluationErrors.report_column_source_right : EvaluationErrors.report_column_source_unknown)(
      column.name,
      place,
      reference,
    );
  });
}

/** The configuration as the type understands it. Throws report_column_config_invalid. */
function readConfiguration({ name, type, configuration }: Configured): JsonObject {
  try {
    return parseConfig(type, configuration);
  } catch (error) {
    throw error instanceof Problem ? EvaluationErrors.report_column_config_invalid(name, error.message) : error;
  }
}
