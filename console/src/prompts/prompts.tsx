import './prompts.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { PromptListItem } from '../api/schema.gen';
import { PROMPTS } from '../folders/kinds';
import { openFolder } from '../folders/tree';
import { WithFolders } from '../folders/with-folders';
import { GuardedButton, useMay } from '../shell/permissions';
import { Field, FormDialog, type FormValues } from '../ui/form';
import { ListScreenHead, NothingLike, Pages } from '../ui/list-screen';
import { Moment } from '../ui/moment';
import { Failure, Note, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import { useUrlState } from '../ui/url-state';
import { promptPath } from './links';

const DEFAULTS = { q: '', label: '', page: '1', folder: '' };
const CREATE = 'PROMPT_CREATE';

/** The registry of prompts. */
export default function Prompts() {
  const [state, set] = useUrlState(DEFAULTS);
  const [isOpen, setOpen] = useState(false);
  const query = {
    name: state.q || undefined,
    label: state.label || undefined,
    page: Number(state.page),
    include_labels: true,
    sort_by: 'updated_at',
  } as const;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['prompts', query],
    queryFn: ({ signal }) => api('GET /prompt-templates', { query, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <ListScreenHead
        title="Prompts"
        placeholder="Search by name"
        q={state.q}
        onSearch={(q) => set({ q, page: '1' }, { replace: true })}
      >
        <GuardedButton permission={CREATE} onClick={() => setOpen(true)}>
          New prompt
        </GuardedButton>
      </ListScreenHead>
      <WithFolders kind={PROMPTS} folder={state.folder} q={state.q} onFolder={(folder) => set({ ...DEFAULTS, folder })}>
        <Waiting on={isFetching} />
        <div className="screen-body">
          {error && <Failure error={error} onRetry={() => void refetch()} />}
          {!error && data?.items.length === 0 && (
            <Nothing state={state} onClear={() => set(DEFAULTS)} onNew={() => setOpen(true)} />
          )}
          {!error && data && data.items.length > 0 && (
            <div className="page-list">
              {state.label && (
                <p>
                  Only prompts with the label <strong>{state.label}</strong> are shown.{' '}
                  <button className="button" onClick={() => set({ label: '', page: '1' })}>
                    Show all
                  </button>
                </p>
              )}
              <PromptTable prompts={data.items} label={state.label} onLabel={(label) => set({ label, page: '1' })} />
              <Pages {...data} what="prompt" onPage={(page) => set({ page: String(page) })} />
            </div>
          )}
        </div>
      </WithFolders>
      {isOpen && <NewPrompt folder={openFolder(state.folder)} onClose={() => setOpen(false)} />}
    </>
  );
}

interface NothingProps {
  state: typeof DEFAULTS;
  onClear: () => void;
  onNew: () => void;
}

function Nothing({ state, onClear, onNew }: NothingProps) {
  const mayCreate = useMay(CREATE);
  if (state.q === '' && state.label === '' && state.page === '1') {
    return (
      <Note title="There are no prompts yet" action={mayCreate && { label: 'New prompt', act: onNew }}>
        <p>A prompt has versions, and labels such as “production” say which version your application gets.</p>
      </Note>
    );
  }
  const filters = [state.q && `“${state.q}” in the name`, state.label && `the label “${state.label}”`].filter(Boolean);
  const asked = filters.length > 0 ? filters : [`page ${state.page}`];
  return <NothingLike what="prompt" filters={asked} onClear={onClear} />;
}

interface TableProps {
  prompts: PromptListItem[];
  /** Whose versions they are; empty for the latest. */
  label: string;
  onLabel: (label: string) => void;
}

function PromptTable({ prompts, label, onLabel }: TableProps) {
  return (
    <Table
      label="Prompts"
      rows={prompts}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Name',
          cell: ({ id, prompt_name, full_folder_path, is_snippet }) => (
            <>
              <Link className="link" href={promptPath(id)}>
                {prompt_name}
              </Link>
              {is_snippet && ' (snippet)'}
              {full_folder_path && <div className="quiet-text">{full_folder_path}</div>}
            </>
          ),
        },
        { name: label === '' ? 'Latest' : `On ${label}`, cell: ({ version }) => `v${version}` },
        {
          name: 'Labels',
          cell: ({ release_labels = [] }) =>
            release_labels.map(({ release_label_id, release_label, prompt_version_number }) => (
              <button key={release_label_id} className="badge" onClick={() => onLabel(release_label)}>
                {release_label} v{prompt_version_number}
              </button>
            )),
        },
        {
          name: 'Model',
          cell: ({ metadata }) => metadata?.model?.name ?? <span className="quiet-text">no model</span>,
        },
        { name: 'Tags', cell: ({ tags }) => tags.join(', ') },
        { name: 'Published', cell: ({ created_at }) => <Moment at={created_at} /> },
      ]}
    />
  );
}

function NewPrompt({ folder, onClose }: { folder: number | null; onClose: () => void }) {
  const refresh = useRefresh('prompts', 'folders');
  const [, navigate] = useLocation();
  const publish = async (values: FormValues) => {
    const message = (role: 'system' | 'user') => ({
      role,
      content: [{ type: 'text' as const, text: values.raw(role) }],
    });
    const model = { provider: values.text('provider'), name: values.text('model') };
    if (!model.provider !== !model.name) throw new Error('Give both the provider and the model, or neither.');
    const { id } = await api('POST /rest/prompt-templates', {
      body: {
        prompt_template: { prompt_name: values.text('name'), ...(folder !== null && { folder_id: folder }) },
        prompt_version: {
          prompt_template: {
            type: 'chat',
            messages: [...(values.raw('system').trim() ? [message('system')] : []), message('user')],
          },
          metadata: model.name && model.provider ? { model } : null,
        },
      },
    });
    await refresh();
    return promptPath(id);
  };
  return (
    <FormDialog
      title="New prompt"
      submit="Publish"
      isWide
      onSubmit={publish}
      onDone={(path) => navigate(path)}
      onClose={onClose}
    >
      <Field label="Name" hint="If a prompt with this name exists, this becomes its next version." isRequired>
        <input className="field" name="name" required maxLength={512} data-first="" />
      </Field>
      <Field label="System message">
        <textarea className="field mono" name="system" rows={4} />
      </Field>
      <Field label="User message" hint="Variables are written in braces: {question}." isRequired>
        <textarea className="field mono" name="user" rows={4} required />
      </Field>
      <div className="columns">
        <Field label="Provider" hint="Optional: leave both empty for a prompt without a model.">
          <input className="field" name="provider" maxLength={255} placeholder="openai" />
        </Field>
        <Field label="Model">
          <input className="field" name="model" maxLength={255} placeholder="gpt-4.1-mini" />
        </Field>
      </div>
    </FormDialog>
  );
}
