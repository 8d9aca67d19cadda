import { api } from '../api/client';
import type { ToolDetailBody } from '../api/schema.gen';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Labels } from '../versions/labels';
import { DeleteDialog, DescribeDialog } from '../versions/manage';
import { TestTool } from './test-tool';
import { EditTool } from './write-tool';

const TOOL = `${WORKSPACE}/tools/{tool_id}` as const;

export type ToolAction = 'edit' | 'test' | 'labels' | 'describe' | 'delete';

interface Props {
  open: ToolAction;
  tool: ToolDetailBody;
  onPublished: () => void;
  onClose: () => void;
}

/** Dialogs of a tool. At most one is open. */
export function ToolDialog({ open, tool, onPublished, onClose }: Props) {
  const path = { ...useHere(), tool_id: tool.id };
  const { name, description, labels, version } = tool;
  switch (open) {
    case 'edit':
      return <EditTool tool={tool} onPublished={onPublished} onClose={onClose} />;
    case 'test':
      return <TestTool tool={tool} onClose={onClose} />;
    case 'labels': {
      const place = (label: string) =>
        api(`PUT ${TOOL}/labels/{tool_label}`, {
          path: { ...path, tool_label: label },
          body: { version_number: version.number },
        });
      return (
        <Labels
          kind="tool"
          id={String(tool.id)}
          version={version.number}
          labels={labels.map((label) => ({ name: label.name, on: label.version_number }))}
          place={place}
          remove={(label) => api(`DELETE ${TOOL}/labels/{tool_label}`, { path: { ...path, tool_label: label } })}
          onClose={onClose}
        />
      );
    }
    case 'describe':
      return (
        <DescribeDialog
          kind="tool"
          title="Edit name and description"
          name={name}
          description={description}
          onSave={(body) => api(`PATCH ${TOOL}`, { path, body })}
          onClose={onClose}
        />
      );
    case 'delete':
      return (
        <DeleteDialog
          kind="tool"
          name={name}
          list="/tools"
          onDelete={() => api(`DELETE ${TOOL}`, { path })}
          onClose={onClose}
        >
          <p>Its environment variables go with it. Prompts that refer to it get no tool from it any more.</p>
        </DeleteDialog>
      );
  }
}
