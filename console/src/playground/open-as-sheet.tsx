import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { CreateColumnRequest } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { type Draft, letterOf } from './draft';
import { toParameters, toPrompt, type Variant, variablesOf } from './variant';
import { valueOfText } from '../ui/exact-json';

const COLUMNS = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns';
const CELLS = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/cells';
const ROWS = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows';
/** Maximum rows, and cells, of a request. */
const AT_ONCE = 100;

/** Creates a sheet from the draft: cases become rows, variants become columns. The answers are computed on request. */
export function OpenAsSheet({ draft }: { draft: Draft }) {
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const refresh = useRefresh('tables');
  const create = async (values: FormValues) => {
    const path = await createSheet(draft, values.text('title'));
    void refresh();
    return path;
  };
  return (
    <>
      <GuardedButton permission="TABLE_CREATE" onClick={() => setOpen(true)}>
        Open as a sheet
      </GuardedButton>
      {isOpen && (
        <FormDialog
          title="Open as a sheet"
          submit="Create the sheet"
          onSubmit={create}
          onDone={(path) => navigate(path)}
          onClose={() => setOpen(false)}
        >
          <p>
            Cases become rows, and variants become columns. Models are asked when you compute the sheet, after its price
            is shown.
          </p>
          <Field label="Title of the table" isRequired>
            <input
              className="field"
              name="title"
              data-first=""
              required
              maxLength={255}
              defaultValue={draft.from?.title ?? 'Playground'}
            />
          </Field>
        </FormDialog>
      )}
    </>
  );
}

/** Gives the path of the sheet. What a variant lacks is found before anything is created. */
async function createSheet(draft: Draft, title: string): Promise<string> {
  const names = variablesOf(draft.variants);
  const answers = draft.variants.map((variant, at) => columnOf(variant, letterOf(at), names));
  const { table, default_sheet: sheet } = await api('POST /api/public/v2/tables', { body: { title } });
  const path = { table_id: table.id, sheet_id: sheet!.id };
  try {
    await fillSheet(path, { names, cases: draft.cases, answers });
  } catch (error) {
    // No half of a sheet is left behind; who may not delete keeps it.
    await api('DELETE /api/public/v2/tables/{table_id}', { path }).catch(() => undefined);
    throw error;
  }
  return `/tables/${path.table_id}/${path.sheet_id}`;
}

interface SheetPath {
  table_id: string;
  sheet_id: string;
}

interface Content {
  names: string[];
  cases: Draft['cases'];
  answers: CreateColumnRequest[];
}

async function fillSheet(path: SheetPath, { names, cases, answers }: Content): Promise<void> {
  await createVariables(path, names);
  for (let from = 1; from < cases.length; from += AT_ONCE) {
    await api(`POST ${ROWS}`, { path, body: { count: Math.min(AT_ONCE, cases.length - from) } });
  }
  const cells = cases.flatMap((values, row) =>
    names.map((name) => ({ row_index: row, column: name, value: valueOfText(values[name] ?? '') })),
  );
  for (let from = 0; from < cells.length; from += AT_ONCE) {
    await api(`PATCH ${CELLS}`, { path, body: { cells: cells.slice(from, from + AT_ONCE) } });
  }
  for (const body of answers) await api(`POST ${COLUMNS}`, { path, body });
}

/** A column for each variable. The one that a new sheet has becomes the first. */
async function createVariables(path: SheetPath, names: string[]): Promise<void> {
  const [first, ...others] = names;
  if (first === undefined) return;
  const { data } = await api(`GET ${COLUMNS}`, { path, query: { limit: 1 } });
  await api(`PATCH ${COLUMNS}/{column_id}`, { path: { ...path, column_id: data[0]!.id }, body: { title: first } });
  for (const name of others) await api(`POST ${COLUMNS}`, { path, body: { title: name, type: 'TEXT' } });
}

/** A column that calls the model of a variant. Throws an Error that names a missing field or invalid JSON. */
function columnOf(variant: Variant, letter: string, names: string[]): CreateColumnRequest {
  const [provider, name] = [variant.provider.trim(), variant.model.trim()];
  if (provider === '' || name === '') throw new Error(`Choose a provider and a model for variant ${letter}.`);
  const used = variablesOf([variant]).filter((each) => names.includes(each));
  return {
    title: `${letter} ${name}`,
    type: 'PROMPT_TEMPLATE',
    compute: false,
    config: {
      inline_template: {
        inline: true,
        prompt_template: toPrompt(variant),
        metadata: { model: { provider, name, api_type: variant.apiType, parameters: toParameters(variant) } },
      },
      prompt_template_variable_mappings: Object.fromEntries(used.map((each) => [each, each])),
      credential: variant.credential.trim() || null,
    } as unknown as NonNullable<CreateColumnRequest['config']>,
  };
}
