import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LazyWidget } from './LazyWidget';
import styles from './widget.module.css';

/** An interactive figure by name: a folder of app/components/widgets/ with an index.tsx. Checked at build time, loaded when it comes near. */
export function Widget({ name, caption }: { readonly name: string; readonly caption?: string }): React.ReactNode {
  if (!existsSync(join(process.cwd(), 'app/components/widgets', name, 'index.tsx'))) {
    throw new Error(`<Widget name="${name}">: there is no app/components/widgets/${name}/index.tsx`);
  }
  return (
    <figure className={`wide ${styles.figure}`}>
      <LazyWidget name={name} />
      {caption ? <figcaption>{caption}</figcaption> : null}
    </figure>
  );
}
