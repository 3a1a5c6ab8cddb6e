// A quarter of a torus: a disc of radius 1 around (2, 0, 0), turned about the z axis by 90 degrees.
// The disc is a square and four parts around it.
s = 0.45;
c = Sqrt(2) / 2;
Point(1) = {2, 0, 0};
Point(2) = {2 - s, 0, -s};
Point(3) = {2 + s, 0, -s};
Point(4) = {2 + s, 0, s};
Point(5) = {2 - s, 0, s};
Point(6) = {2 - c, 0, -c};
Point(7) = {2 + c, 0, -c};
Point(8) = {2 + c, 0, c};
Point(9) = {2 - c, 0, c};
Line(1) = {2, 3};
Line(2) = {3, 4};
Line(3) = {4, 5};
Line(4) = {5, 2};
Circle(5) = {6, 1, 7};
Circle(6) = {7, 1, 8};
Circle(7) = {8, 1, 9};
Circle(8) = {9, 1, 6};
Line(9) = {2, 6};
Line(10) = {3, 7};
Line(11) = {4, 8};
Line(12) = {5, 9};
Curve Loop(1) = {1, 2, 3, 4};
Curve Loop(2) = {9, 5, -10, -1};
Curve Loop(3) = {10, 6, -11, -2};
Curve Loop(4) = {11, 7, -12, -3};
Curve Loop(5) = {12, 8, -9, -4};
For i In {1 : 5}
  Plane Surface(i) = {i};
EndFor
Transfinite Curve{1 : 8} = 3;
Transfinite Curve{9 : 12} = 2;
Transfinite Surface{1 : 5};
Recombine Surface{1 : 5};
Extrude {{0, 0, 1}, {0, 0, 0}, Pi / 2} {
  Surface{1 : 5};
  Layers{3};
  Recombine;
}
