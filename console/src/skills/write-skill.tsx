import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { SkillFilesResponse } from '../api/schema.gen';
import { type FormValues, SelectField } from '../ui/form';
import { DescriptionFields } from '../versions/manage';
import { type Publication, PublishDialog } from '../versions/publish';
import { FileChanges } from './file-changes';
import { changesOf, draftOf, filesOf, isChanged } from './file-draft';
import { FileFields } from './file-fields';
import { skillPath } from './links';

const PROGRAMS = {
  '': 'As the paths say',
  claude_code: 'Claude Code',
  openai: 'OpenAI',
  openclaw: 'OpenClaw',
  universal: 'Any program',
};

const FIRST = '---\nname: \ndescription: \n---\n';

/** Creates a collection with its first version. */
export function NewSkill({ onClose }: { onClose: () => void }) {
  const [files, setFiles] = useState(() => draftOf({ 'first-skill/SKILL.md': FIRST }));
  const refresh = useRefresh('skills');
  const [, navigate] = useLocation();
  const create = async ({ message }: Publication, values: FormValues) => {
    const body = {
      name: values.text('name'),
      description: values.optional('description'),
      provider: values.optional('provider'),
      files: changesOf({}, files).file_updates,
      commit_message: message,
    };
    const { skill_collection: collection } = await api('POST /api/public/v2/skill-collections', { body });
    await refresh();
    return collection.id;
  };
  return (
    <PublishDialog
      kind="skill_collection"
      title="New skill collection"
      submit="Create the collection"
      hasLabel={false}
      onPublish={create}
      onPublished={(id) => navigate(skillPath(id))}
      onClose={onClose}
    >
      <DescriptionFields />
      <SelectField label="For" name="provider" options={PROGRAMS} />
      <FileFields files={files} onChange={setFiles} />
    </PublishDialog>
  );
}

interface EditProps {
  /** The newest version. Files without a change stay as they are. */
  newest: SkillFilesResponse;
  onPublished: () => void;
  onClose: () => void;
}

/** Publishes a version with changed files. */
export function EditSkill({ newest, onPublished, onClose }: EditProps) {
  const { skill_collection: collection, version } = newest;
  const [before] = useState(newest.files);
  const [files, setFiles] = useState(() => draftOf(before));
  const refresh = useRefresh('skills', 'skill', 'skill-versions');
  const publish = async ({ message, label }: Publication) => {
    const path = { skill_collection: collection.id };
    const body = { ...changesOf(before, files), commit_message: message, release_label: label };
    await api('POST /api/public/v2/skill-collections/{skill_collection}/versions', { path, body });
    await refresh();
  };
  const from = version ? `, from version ${version.number}` : '';
  return (
    <PublishDialog
      kind="skill_collection"
      title={`A new version of ${collection.name}${from}`}
      isChanged={isChanged(before, files)}
      onPublish={publish}
      onPublished={onPublished}
      onClose={onClose}
    >
      <FileFields files={files} onChange={setFiles} />
      <details>
        <summary>Changes</summary>
        <h2 className="visually-hidden">Changed files</h2>
        <FileChanges before={before} after={filesOf(files)} />
      </details>
    </PublishDialog>
  );
}
