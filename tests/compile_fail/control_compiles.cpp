// expect: this file compiles, and the check must say so
int main() {}
