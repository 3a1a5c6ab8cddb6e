// A plate with a round hole: [-1, 1] x [-1, 1] x [0, 0.5] without the cylinder of radius 0.4 around
// the z axis. Its quadrangles have no order: Gmsh makes triangles, joins what it can and cuts the
// rest.
Point(1) = {0, 0, 0};
Point(2) = {-1, -1, 0, 0.9};
Point(3) = {1, -1, 0, 0.9};
Point(4) = {1, 1, 0, 0.9};
Point(5) = {-1, 1, 0, 0.9};
Point(6) = {0.4, 0, 0, 0.6};
Point(7) = {0, 0.4, 0, 0.6};
Point(8) = {-0.4, 0, 0, 0.6};
Point(9) = {0, -0.4, 0, 0.6};
For i In {0 : 3}
  Line(1 + i) = {2 + i, 2 + (i + 1) % 4};
  Circle(5 + i) = {6 + i, 1, 6 + (i + 1) % 4};
EndFor
Curve Loop(1) = {1 : 4};
Curve Loop(2) = {5 : 8};
Plane Surface(1) = {1, 2};
Recombine Surface{1};
Mesh.SubdivisionAlgorithm = 1;
Extrude {0, 0, 0.5} {
  Surface{1};
  Layers{1};
  Recombine;
}
