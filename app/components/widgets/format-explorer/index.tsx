'use client';
import { FormatExplorer } from './FormatExplorer';

/** In a lesson: the address belongs to the lesson. At /formats/ every value has one. */
export default function FormatExplorerWidget() {
  return <FormatExplorer />;
}
