import type { ReactNode } from 'react';
import type { ColumnTypeBody } from '../api/schema.gen';
import type { Schema, Values } from '../ui/schema-fields';
import { type ControlledField, SchemaForm } from '../ui/schema-form';
import { mappedByName, type Named, placeholdersIn } from './column-names';
import { ModelPicker, PromptPicker, ToolsPicker, usePromptVariables, WorkflowPicker } from './column-pickers';
import { TemplateField } from './template-field';

interface Config {
  /** Names with a line each in the form, by the key of the map. */
  names: Record<string, string[]>;
  /** The values, with variables mapped to columns by name. */
  mapped: Values;
}

/** The variables in the values of a form, and the columns mapped to them by name. */
export function useConfig(type: ColumnTypeBody | undefined, values: Values, columns: Named[]): Config {
  const fields = Object.entries((type?.config_schema as Schema | undefined)?.properties ?? {});
  const picksPrompt = fields.find(([, field]) => field['x-picker'] === 'prompts')?.[0];
  const ofPrompt = usePromptVariables(picksPrompt && values[picksPrompt]);
  const names: Config['names'] = {};
  for (const [key, field] of fields) {
    if (!isMap(field)) continue;
    const texts = fields.filter(([, { 'x-template': map }]) => map === key).map(([name]) => values[name]);
    // The names are known only with a text or a prompt.
    if (texts.length > 0) names[key] = texts.flatMap(placeholdersIn);
    else if (picksPrompt && ofPrompt) names[key] = ofPrompt;
  }
  const maps = Object.entries(names).map(([key, list]) => {
    const given = values[key] as Record<string, string | null> | undefined;
    return [key, mappedByName(list, columns, given ?? {})] as const;
  });
  const filled = maps.filter(([key, map]) => values[key] !== undefined || Object.keys(map).length > 0);
  return { names, mapped: { ...values, ...Object.fromEntries(filled) } };
}

const isMap = ({ type, 'x-picker': picker }: Schema): boolean => picker === 'columns' && type === 'object';

interface Props {
  type: ColumnTypeBody;
  values: Values;
  onChange: (values: Values) => void;
  /** Columns or nodes that the fields may name: the other columns of the sheet, or nodes of the workflow. */
  columns: Named[];
  names?: Config['names'];
}

/** The fields of a column type, with the pickers of its schema. */
export function ConfigForm({ type, values, onChange, columns, names = {} }: Props) {
  const offered = columns.map(({ id, title }) => ({ value: id, title }));
  const choices = Object.fromEntries(type.source_keys.map((key) => [key, offered]));
  const schema = type.config_schema as Schema;
  const controls = Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
      const control = controlOf(field, { schema, columns, values, onChange });
      return control ? [[key, control]] : [];
    }),
  );
  return (
    <SchemaForm
      schema={schema}
      values={values}
      onChange={onChange}
      choices={choices}
      names={names}
      controls={controls}
    />
  );
}

type Control = (field: ControlledField) => ReactNode;

interface Context extends Pick<Props, 'values' | 'onChange'> {
  schema: Schema;
  columns: Named[];
}

function controlOf({ type, 'x-picker': picker, 'x-template': sources }: Schema, context: Context): Control | null {
  if (sources !== undefined) {
    const { schema, columns, values, onChange } = context;
    const isList = schema.properties?.[sources]?.type === 'array';
    const insert = (key: string, text: string, { name, id }: { name: string; id: string }) =>
      onChange({ ...values, [key]: text, [sources]: withSource(values[sources], { isList, name, id }) });
    return (field) => (
      <TemplateField
        key={field.name}
        {...field}
        columns={columns}
        onInsert={(text, name, { id }) => insert(field.name, text, { name, id })}
      />
    );
  }
  if (picker === 'prompts') return (field) => <PromptPicker key={field.name} {...field} />;
  if (picker === 'models') return (field) => <ModelPicker key={field.name} {...field} />;
  if (picker === 'workflows') return (field) => <WorkflowPicker key={field.name} {...field} />;
  if (picker === 'tools' && type === 'array') return (field) => <ToolsPicker key={field.name} {...field} />;
  return null;
}

/** Adds a column to a list or a map of columns. */
function withSource(given: unknown, { isList, name, id }: { isList: boolean; name: string; id: string }): unknown {
  if (!isList) return { ...(given as Values | undefined), [name]: id };
  const list = (given ?? []) as string[];
  return list.includes(id) ? list : [...list, id];
}
