import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { ToolDetailBody } from '../api/schema.gen';
import type { FormValues } from '../ui/form';
import { DescriptionFields } from '../versions/manage';
import { DraftChanges, type Publication, PublishDialog } from '../versions/publish';
import { toolPath } from './links';
import { contentOf, draftOf, draftText, emptyDraft, functionNameFor } from './tool-draft';
import { ToolFields } from './tool-fields';

const said = ({ message, label }: Publication) => ({
  commit_message: message,
  ...(label !== null && { release_labels: [label] }),
});

/** Creates a tool with its first version. */
export function NewTool({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState(emptyDraft);
  const [name, setName] = useState('');
  const refresh = useRefresh('tools');
  const [, navigate] = useLocation();
  const create = async (publication: Publication, values: FormValues) => {
    const functionName = draft.functionName.trim() || functionNameFor(name);
    const body = {
      ...contentOf({ ...draft, functionName }, null),
      ...said(publication),
      name: values.text('name'),
      description: values.optional('description'),
    };
    const { tool_registry: tool } = await api('POST /api/public/v2/tool-registry', { body });
    await refresh();
    return tool.id;
  };
  return (
    <PublishDialog
      kind="tool"
      title="New tool"
      submit="Create the tool"
      onPublish={create}
      onPublished={(id) => navigate(toolPath(id))}
      onClose={onClose}
    >
      <DescriptionFields onName={setName} />
      <ToolFields draft={draft} onChange={setDraft} functionName={functionNameFor(name)} />
    </PublishDialog>
  );
}

interface EditProps {
  tool: ToolDetailBody;
  onPublished: () => void;
  onClose: () => void;
}

/** Publishes a version that is this one with changes. */
export function EditTool({ tool, onPublished, onClose }: EditProps) {
  const { version } = tool;
  const [draft, setDraft] = useState(() => draftOf(version));
  const [before] = useState(() => draftText(draft));
  const refresh = useRefresh('tools', 'tool');
  const publish = async (publication: Publication) => {
    const path = { tool_identifier: String(tool.id) };
    const body = { ...contentOf(draft, version), ...said(publication) };
    await api('POST /api/public/v2/tool-registry/{tool_identifier}/versions', { path, body });
    await refresh();
  };
  return (
    <PublishDialog
      kind="tool"
      title={`A new version of ${tool.name}, from version ${version.number}`}
      onPublish={publish}
      onPublished={onPublished}
      onClose={onClose}
    >
      <ToolFields draft={draft} onChange={setDraft} />
      <DraftChanges before={before} after={draftText(draft)} />
    </PublishDialog>
  );
}
