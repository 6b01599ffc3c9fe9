// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

// What Embedded Swift expects of a C library: memory, and arithmetic on 128 bits.

typedef __SIZE_TYPE__ size_t;
typedef unsigned char byte;
typedef unsigned long long u64;
typedef unsigned __int128 u128;

extern byte __heap_base;
unsigned long __stack_chk_guard = 0xE5A11E6;
void __stack_chk_fail(void) { __builtin_trap(); }

// Blocks of powers of two and their middles, each with its size's number before it. What was given back is
// in a list for each size.
struct Free { struct Free *next; };
static struct Free *lists[64];
static size_t top, end;

static size_t size_of(int number) {
  size_t size = (size_t)32 << (number >> 1);
  return number & 1 ? size + (size >> 1) : size;
}

static byte *fresh(size_t size) {
  if (!top) {
    top = ((size_t)&__heap_base + 15) & ~(size_t)15;
    end = __builtin_wasm_memory_size(0) << 16;
  }
  if (top + size > end) {
    size_t pages = ((top + size - end) >> 16) + 64;
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) __builtin_trap();
    end += pages << 16;
  }
  top += size;
  return (byte *)(top - size);
}

void *malloc(size_t size) {
  int number = 0;
  while (size_of(number) < size + 16) number++;
  byte *block = (byte *)lists[number];
  if (block) lists[number] = lists[number]->next; else block = fresh(size_of(number));
  *(int *)block = number;
  return block + 16;
}

void free(void *memory) {
  if (!memory) return;
  struct Free *block = (struct Free *)((byte *)memory - 16);
  int number = *(int *)block;
  block->next = lists[number];
  lists[number] = block;
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment > 16) __builtin_trap();
  *result = malloc(size);
  return 0;
}

void *memcpy(void *target, const void *source, size_t count) {
  for (size_t i = 0; i < count; i++) ((byte *)target)[i] = ((const byte *)source)[i];
  return target;
}

void *memmove(void *target, const void *source, size_t count) {
  if (target < source) return memcpy(target, source, count);
  while (count--) ((byte *)target)[count] = ((const byte *)source)[count];
  return target;
}

void *memset(void *target, int value, size_t count) {
  for (size_t i = 0; i < count; i++) ((byte *)target)[i] = (byte)value;
  return target;
}

int memcmp(const void *left, const void *right, size_t count) {
  const byte *a = left, *b = right;
  for (; count; count--, a++, b++) if (*a != *b) return *a < *b ? -1 : 1;
  return 0;
}

void arc4random_buf(void *target, size_t count) { memset(target, 42, count); }
int putchar(int character) { return character; }

union wide { u128 all; struct { u64 low, high; } half; };

u128 __multi3(u128 a, u128 b) {
  union wide x = {a}, y = {b}, result;
  u64 al = (unsigned)x.half.low, ah = x.half.low >> 32;
  u64 bl = (unsigned)y.half.low, bh = y.half.low >> 32;
  u64 low = al * bl, first = ah * bl + (low >> 32), second = al * bh + (unsigned)first;
  result.half.low = second << 32 | (unsigned)low;
  result.half.high = ah * bh + (first >> 32) + (second >> 32)
    + x.half.high * y.half.low + x.half.low * y.half.high;
  return result.all;
}

u128 __lshrti3(u128 a, int count) {
  union wide x = {a}, result;
  result.half.high = count < 64 ? x.half.high >> count : 0;
  result.half.low = count >= 64 ? x.half.high >> (count - 64)
    : count ? x.half.low >> count | x.half.high << (64 - count) : x.half.low;
  return result.all;
}

u128 __ashlti3(u128 a, int count) {
  union wide x = {a}, result;
  result.half.low = count < 64 ? x.half.low << count : 0;
  result.half.high = count >= 64 ? x.half.low << (count - 64)
    : count ? x.half.high << count | x.half.low >> (64 - count) : x.half.high;
  return result.all;
}

static u128 divide(u128 a, u128 b, u128 *rest) {
  union wide x = {a};
  u128 quotient = 0;
  *rest = 0;
  if (!b) __builtin_trap();
  for (int i = 127; i >= 0; i--) {
    *rest += *rest + ((i < 64 ? x.half.low : x.half.high) >> (i & 63) & 1);
    quotient += quotient;
    if (*rest >= b) { *rest -= b; quotient++; }
  }
  return quotient;
}

static u128 magnitude(__int128 a) { return a < 0 ? -(u128)a : (u128)a; }
u128 __udivti3(u128 a, u128 b) { u128 rest; return divide(a, b, &rest); }
u128 __umodti3(u128 a, u128 b) { u128 rest; divide(a, b, &rest); return rest; }
__int128 __divti3(__int128 a, __int128 b) {
  u128 rest, quotient = divide(magnitude(a), magnitude(b), &rest);
  return (a < 0) != (b < 0) ? -quotient : quotient;
}
__int128 __modti3(__int128 a, __int128 b) {
  u128 rest;
  divide(magnitude(a), magnitude(b), &rest);
  return a < 0 ? -rest : rest;
}
