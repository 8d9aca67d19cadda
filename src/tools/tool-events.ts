import { defineEvent, type DomainEvent } from '../events/index.js';

export type ToolChanged = {
  tool_registry_id: number;
  tool_name: string;
  change: 'version_created' | 'label_changed' | 'deleted';
  /** The version that there is now, or that the label named last. */
  version_number: number;
  /** null unless a label has changed. */
  tool_label: string | null;
};

const changed = defineEvent<ToolChanged>(
  'tool_changed',
  'A tool of the registry has a new version, a label was put on one of its versions or removed, or it was deleted.',
);

export function toolChanged(
  { id, name }: { id: number; name: string },
  change: ToolChanged['change'],
  version: number,
  label: string | null = null,
): DomainEvent {
  return changed({ tool_registry_id: id, tool_name: name, change, version_number: version, tool_label: label });
}
