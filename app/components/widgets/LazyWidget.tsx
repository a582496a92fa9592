'use client';
import { Component, type ComponentType, lazy, Suspense, useEffect, useRef, useState } from 'react';
import styles from './widget.module.css';

const loaded = new Map<string, ComponentType>();

function widget(name: string): ComponentType {
  let component = loaded.get(name);
  if (!component) {
    component = lazy(() => import(`./${name}/index.tsx`));
    loaded.set(name, component);
  }
  return component;
}

interface LazyWidgetProps {
  readonly name: string;
  /** For a reader without JavaScript. */
  readonly children?: React.ReactNode;
}

/** Loads the widget's code once it is within a screen of view, so that a lesson stays light; a failed load says so and can be tried again. */
export function LazyWidget({ name, children }: LazyWidgetProps) {
  const box = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    const target = box.current;
    if (!target) return;
    const observer = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && setNear(true), {
      rootMargin: '100%',
    });
    observer.observe(target);
    return () => observer.disconnect();
  }, []);
  const Content = near ? widget(name) : null;
  const waiting = <p className={styles.waiting}>Loading the figure …</p>;
  return (
    <div ref={box} className={styles.box}>
      <noscript>
        <p>This figure needs JavaScript: it computes with the engine, in your browser.</p>
        {children}
      </noscript>
      {Content ? (
        <Boundary name={name}>
          <Suspense fallback={waiting}>
            <Content />
          </Suspense>
        </Boundary>
      ) : (
        waiting
      )}
    </div>
  );
}

class Boundary extends Component<
  { readonly name: string; readonly children: React.ReactNode },
  { readonly failed: boolean }
> {
  override state = { failed: false };
  static getDerivedStateFromError() {
    return { failed: true };
  }
  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <p role="alert">
        The figure could not be loaded.{' '}
        <button
          type="button"
          className="button"
          onClick={() => {
            loaded.delete(this.props.name);
            this.setState({ failed: false });
          }}
        >
          Try again
        </button>
      </p>
    );
  }
}
