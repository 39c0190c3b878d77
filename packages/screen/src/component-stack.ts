/** The components of a screen: what is shown from top to bottom, what lies on top, and who gets the keys. */
import type { Component, TextColumns } from './component.ts';
import { layOver, type Overlay, type OverlayOptions } from './overlay.ts';

/** Keeps the components and draws them; one that fails is shown as a row that says so. */
export class ComponentStack {
  readonly #text: TextColumns;
  readonly #onError: (error: unknown) => void;
  #components: Component[] = [];
  #overlays: Overlay[] = [];
  #pages: Component[] = [];
  #focus: Component | undefined;

  constructor(text: TextColumns, onError: (error: unknown) => void) {
    this.#text = text;
    this.#onError = onError;
  }

  /** The component that has the whole screen. */
  get page(): Component | undefined {
    return this.#pages.at(-1);
  }

  /** Whether something lies on the live rows or has the whole screen: then all keys are its own. */
  get isCovered(): boolean {
    return this.#pages.length > 0 || this.#overlays.length > 0;
  }

  /** The component that gets the keys. */
  get target(): Component | undefined {
    return this.page ?? this.#overlays.at(-1)?.component ?? this.#focus;
  }

  add(component: Component): void {
    this.#components.push(component);
  }

  remove(component: Component): void {
    this.#components = this.#components.filter((other) => other !== component);
    if (this.#focus === component) this.#focus = undefined;
  }

  setFocus(component: Component | undefined): void {
    this.#focus = component;
  }

  /** The result takes the overlay away. */
  openOverlay(component: Component, options: OverlayOptions): () => void {
    const overlay = { ...options, component };
    this.#overlays.push(overlay);
    return () => {
      this.#overlays = this.#overlays.filter((other) => other !== overlay);
    };
  }

  /** The result takes the page away. */
  openPage(component: Component): () => void {
    // Boxed, because a component may be opened twice.
    const page: Component = {
      render: (width) => component.render(width),
      renderScreen: (width, height) =>
        component.renderScreen?.(width, height) ?? component.render(width).slice(-height),
      handleInput: (data) => component.handleInput?.(data),
      spoken: () => component.spoken?.(),
    };
    this.#pages.push(page);
    return () => {
      this.#pages = this.#pages.filter((other) => other !== page);
    };
  }

  /** Takes all pages away. */
  closePages(): void {
    this.#pages = [];
  }

  /** All components forget what they have cached. */
  invalidate(): void {
    for (const component of this.#components) component.invalidate?.();
  }

  /** Components append what has become final. */
  beforeFrame(): void {
    for (const component of this.#components) {
      try {
        component.beforeFrame?.();
      } catch (error) {
        // As with `render`: one part must not take the screen with it.
        this.#onError(error);
      }
    }
  }

  /** What is chosen in the component that gets the keys. */
  spoken(): string | undefined {
    return this.target?.spoken?.();
  }

  /** The live rows with the overlays on them. */
  liveRows(columns: number): readonly string[] {
    const rows = this.#components.flatMap((component) => this.#rendered(() => component.render(columns)));
    return this.#overlays.reduce<string[]>(
      (under, overlay) => this.#rendered(() => layOver(under, overlay, columns, this.#text), under),
      rows,
    );
  }

  /** The rows of the page. */
  pageRows(page: Component, columns: number, height: number): readonly string[] {
    return this.#rendered(() => page.renderScreen?.(columns, height) ?? page.render(columns));
  }

  #rendered(render: () => string[], otherwise: string[] = []): string[] {
    try {
      return render();
    } catch (error) {
      // A part that fails must not take the screen with it: it is told, and shown in its place.
      this.#onError(error);
      return [...otherwise, `(cannot be shown: ${error instanceof Error ? error.message : String(error)})`];
    }
  }
}
