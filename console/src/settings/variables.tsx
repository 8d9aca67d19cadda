import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { ToolEnvVarBody, WorkspaceEnvVarBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { Moment } from '../ui/moment';
import { Choice } from '../ui/search-field';
import { Table } from '../ui/table';
import { useUrlState } from '../ui/url-state';
import { Section } from './section';

type Variable = WorkspaceEnvVarBody | ToolEnvVarBody;
type Open = { kind: 'new' } | { kind: 'replace' | 'delete'; variable: Variable } | null;

const OF_WORKSPACE = '/api/public/v2/env-vars';
const OF_TOOL = '/api/public/v2/tool-registry/{tool_identifier}/env-vars';
const EDIT = 'TOOL_EDIT';
const DEFAULTS = { tool: '' };

/** The requests for the variables of a tool, or of the workspace where `tool` is empty. */
function requestsOf(tool: string) {
  const path = { tool_identifier: tool };
  if (tool === '') {
    return {
      list: async (signal: AbortSignal): Promise<Variable[]> =>
        (await api(`GET ${OF_WORKSPACE}`, { signal })).workspace_env_vars,
      add: (body: { key: string; value: string }) => api(`POST ${OF_WORKSPACE}`, { body }),
      replace: (id: number, value: string) =>
        api(`PATCH ${OF_WORKSPACE}/{var_id}`, { path: { var_id: id }, body: { value } }),
      remove: (id: number) => api(`DELETE ${OF_WORKSPACE}/{var_id}`, { path: { var_id: id } }),
    };
  }
  return {
    list: async (signal: AbortSignal): Promise<Variable[]> =>
      (await api(`GET ${OF_TOOL}`, { path, signal })).tool_env_vars,
    add: (body: { key: string; value: string }) => api(`POST ${OF_TOOL}`, { path, body }),
    replace: (id: number, value: string) =>
      api(`PATCH ${OF_TOOL}/{var_id}`, { path: { ...path, var_id: id }, body: { value } }),
    remove: (id: number) => api(`DELETE ${OF_TOOL}/{var_id}`, { path: { ...path, var_id: id } }),
  };
}

/** Environment variables for the code of tools. Values are never shown, only replaced. */
export function Variables() {
  const [{ tool }, set] = useUrlState(DEFAULTS);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Section
        title="Environment variables"
        about="The code of tools reads them. Every tool gets those of the workspace, unless it has its own of the same name. Values are encrypted and cannot be read again."
        permission={null}
        to="see environment variables"
        queryKey={['env-vars', tool]}
        read={requestsOf(tool).list}
        actions={
          <div className="actions">
            <ToolChoice tool={tool} onChange={(next) => set({ tool: next })} />
            <GuardedButton permission={EDIT} className="button primary" onClick={() => setOpen({ kind: 'new' })}>
              Add a variable
            </GuardedButton>
          </div>
        }
      >
        {(variables) =>
          variables.length === 0 ? (
            <p>{`${tool === '' ? 'The workspace' : 'This tool'} has no environment variables yet.`}</p>
          ) : (
            <VariableTable variables={variables} onOpen={setOpen} />
          )
        }
      </Section>
      {open?.kind === 'new' && <AddVariable tool={tool} onClose={close} />}
      {open?.kind === 'replace' && <ReplaceValue tool={tool} variable={open.variable} onClose={close} />}
      {open?.kind === 'delete' && <DeleteVariable tool={tool} variable={open.variable} onClose={close} />}
    </>
  );
}

function ToolChoice({ tool, onChange }: { tool: string; onChange: (tool: string) => void }) {
  const { data } = useQuery({
    queryKey: ['tools', 'choice'],
    queryFn: ({ signal }) => api('GET /api/public/v2/tool-registry', { query: { sort_by: 'name' }, signal }),
  });
  const named = (data?.tool_registries ?? []).map(({ id, name }) => [String(id), `Tool ${name}`]);
  const known = Object.fromEntries([['', 'The workspace'], ...named]) as Record<string, string>;
  const options = tool in known ? known : { ...known, [tool]: `Tool ${tool}` };
  return <Choice label="Variables of" options={options} value={tool} onChange={onChange} />;
}

function VariableTable({ variables, onOpen }: { variables: Variable[]; onOpen: (open: Open) => void }) {
  return (
    <Table
      label="Environment variables"
      rows={variables}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Name', cell: ({ key }) => <code>{key}</code> },
        {
          name: 'Value',
          cell: ({ is_empty: isEmpty, value_suffix: suffix }) =>
            isEmpty ? <span className="quiet-text">no value yet</span> : <code>{`…${suffix ?? ''}`}</code>,
        },
        { name: 'Changed', cell: ({ updated_at }) => <Moment at={updated_at} /> },
        {
          name: '',
          className: 'buttons',
          cell: (variable) => (
            <>
              <GuardedButton permission={EDIT} onClick={() => onOpen({ kind: 'replace', variable })}>
                Replace
              </GuardedButton>
              <GuardedButton permission={EDIT} onClick={() => onOpen({ kind: 'delete', variable })}>
                Delete
              </GuardedButton>
            </>
          ),
        },
      ]}
    />
  );
}

function ValueField({ isRequired }: { isRequired: boolean }) {
  return (
    <Field
      label="Value"
      hint="The last four characters stay visible, so use long values for secrets."
      isRequired={isRequired}
    >
      <input
        className="field mono"
        name="value"
        type="password"
        autoComplete="new-password"
        required={isRequired}
        data-first={isRequired ? '' : undefined}
      />
    </Field>
  );
}

interface FormProps {
  tool: string;
  onClose: () => void;
}

function AddVariable({ tool, onClose }: FormProps) {
  const refresh = useRefresh('env-vars');
  const add = async (values: FormValues) => {
    await requestsOf(tool).add({ key: values.text('key'), value: values.raw('value') });
    await refresh();
  };
  return (
    <FormDialog title="Add a variable" submit="Add the variable" onSubmit={add} onClose={onClose}>
      <Field label="Name" hint="Letters, digits and underscores, such as WEATHER_API_KEY." isRequired>
        <input className="field mono" name="key" required maxLength={255} spellCheck={false} data-first="" />
      </Field>
      <ValueField isRequired={false} />
    </FormDialog>
  );
}

function ReplaceValue({ tool, variable, onClose }: FormProps & { variable: Variable }) {
  const refresh = useRefresh('env-vars');
  const replace = async (values: FormValues) => {
    await requestsOf(tool).replace(variable.id, values.raw('value'));
    await refresh();
  };
  return (
    <FormDialog
      title={`Replace the value of ${variable.key}`}
      submit="Replace the value"
      onSubmit={replace}
      onClose={onClose}
    >
      <ValueField isRequired />
      <p className="quiet-text">Code that starts from now on uses the new value.</p>
    </FormDialog>
  );
}

function DeleteVariable({ tool, variable, onClose }: FormProps & { variable: Variable }) {
  const refresh = useRefresh('env-vars');
  const remove = async () => {
    await requestsOf(tool).remove(variable.id);
    await refresh();
  };
  return (
    <FormDialog
      title={`Delete ${variable.key}?`}
      submit="Delete the variable"
      isDangerous
      onSubmit={remove}
      onClose={onClose}
    >
      <p>Code that starts from now on cannot read it.</p>
    </FormDialog>
  );
}
