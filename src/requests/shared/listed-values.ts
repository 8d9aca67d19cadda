import { jsonValues } from '../../platform/filters/json-sql.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { MOST_PATHS } from '../../llm/records/conversation-facts.js';

/**
 * The values at a path of a document of which `paths` is the list of paths that a log is found by. The list decides: a
 * document without the path is not read. Only one that is full may lack some.
 */
function listedValues(document: string, paths: string): (path: string, parameters: SqlParameters) => string {
  const values = jsonValues(document);
  return (path, parameters) => {
    const isListed = `${paths} @> ARRAY[${parameters.add(path)}::text] OR cardinality(${paths}) >= ${MOST_PATHS}`;
    return `CASE WHEN ${isListed} THEN ${values(path, parameters)} END`;
  };
}

/** The values at a path of the answer of a log. */
export const outputValues = listedValues('output_data', 'output_keys');

/** The values at a path of the variables of a log, as far as its prompt asks for them. */
export const variableValues = listedValues('prompt_input_variables', 'input_variable_keys');
