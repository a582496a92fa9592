import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LazyWidget } from './LazyWidget';
import styles from './widget.module.css';

interface WidgetProps {
  readonly name: string;
  readonly caption?: string;
}

/** An interactive figure by name: a folder of app/components/widgets/ with an index.tsx. Checked at build time, loaded when it comes near. Its still.tsx, if it has one, is what a reader without JavaScript sees. */
export async function Widget({ name, caption }: WidgetProps): Promise<React.ReactNode> {
  if (!existsSync(join(process.cwd(), 'app/components/widgets', name, 'index.tsx'))) {
    throw new Error(`<Widget name="${name}">: there is no app/components/widgets/${name}/index.tsx`);
  }
  const Still = existsSync(join(process.cwd(), 'app/components/widgets', name, 'still.tsx'))
    ? (await import(`./${name}/still.tsx`)).default
    : null;
  return (
    <figure className={`wide ${styles.figure}`}>
      <LazyWidget name={name}>{Still ? <Still /> : null}</LazyWidget>
      {caption ? <figcaption>{caption}</figcaption> : null}
    </figure>
  );
}
